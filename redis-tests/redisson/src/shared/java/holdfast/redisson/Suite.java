package holdfast.redisson;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs one part of the suite and prints, for each class, its counts and time, and every failure and skip with its cause.
 * Arguments: the directory of test classes, the file the counts go to, "soak" or "suite", and optionally a class name pattern.
 */
final class Suite implements TestExecutionListener {
    private static final int STACK_LINES = 12;

    private static final class Tally {
        final Time.Since start = Time.now();
        int passed;
        int failed;
        int skipped;
        final List<String> notes = new ArrayList<>();
    }

    private final Map<String, Tally> tallies = new LinkedHashMap<>();

    public static void main(String[] args) throws Exception {
        String classes = args.length > 3 ? args[3] : ".*Test";
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClasspathRoots(Set.of(Path.of(args[0]))))
                .filters(includeClassNamePatterns("holdfast\\.redisson\\." + classes))
                .filters(args[2].equals("soak") ? TagFilter.includeTags("soak") : TagFilter.excludeTags("soak"))
                .configurationParameter("junit.jupiter.execution.timeout.testable.method.default", "60 s")
                .configurationParameter("junit.jupiter.execution.timeout.lifecycle.method.default", "60 s")
                .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                .configurationParameter("junit.jupiter.testclass.order.default",
                        "org.junit.jupiter.api.ClassOrderer$ClassName")
                .build();
        Suite suite = new Suite();
        LauncherFactory.create().execute(request, suite);
        Clients.closeAll();
        int passed = suite.tallies.values().stream().mapToInt(tally -> tally.passed).sum();
        int failed = suite.tallies.values().stream().mapToInt(tally -> tally.failed).sum();
        int skipped = suite.tallies.values().stream().mapToInt(tally -> tally.skipped).sum();
        Files.writeString(Path.of(args[1]), passed + " " + failed + " " + skipped + "\n");
        System.exit(failed == 0 ? 0 : 1);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.getSource().orElse(null) instanceof ClassSource) {
            tally(test);
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        Tally tally = tally(test);
        tally.skipped++;
        tally.notes.add("    skipped " + test.getDisplayName() + ": " + reason);
        if (test.isContainer()) {
            print(test);
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean isClass = test.getSource().orElse(null) instanceof ClassSource;
        if (test.isTest()) {
            count(test, result);
        } else if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            count(test, result);
        }
        if (isClass) {
            print(test);
        }
    }

    private void count(TestIdentifier test, TestExecutionResult result) {
        Tally tally = tally(test);
        String name = test.getDisplayName();
        switch (result.getStatus()) {
            case SUCCESSFUL -> tally.passed++;
            case ABORTED -> {
                tally.skipped++;
                tally.notes.add("    skipped " + name + ": " + result.getThrowable().map(Throwable::getMessage).orElse(""));
            }
            case FAILED -> {
                tally.failed++;
                tally.notes.add("    FAILED " + name + result.getThrowable().map(Suite::describe).orElse(""));
            }
            default -> throw new IllegalStateException("unknown status " + result.getStatus());
        }
    }

    private Tally tally(TestIdentifier test) {
        return tallies.computeIfAbsent(className(test), name -> new Tally());
    }

    private void print(TestIdentifier test) {
        String name = className(test);
        Tally tally = tallies.get(name);
        System.out.printf("  %-28s %3d passed, %d failed, %d skipped  %5.1f s%n", name, tally.passed, tally.failed,
                tally.skipped, tally.start.ms() / 1000.0);
        tally.notes.forEach(System.out::println);
    }

    private static String className(TestIdentifier test) {
        Object source = test.getSource().orElse(null);
        String name = source instanceof MethodSource method ? method.getClassName()
                : source instanceof ClassSource type ? type.getClassName() : test.getDisplayName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String describe(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            text.append("\n      ").append(cause);
            StackTraceElement[] stack = cause.getStackTrace();
            for (int i = 0; i < Math.min(stack.length, STACK_LINES); i++) {
                text.append("\n        at ").append(stack[i]);
            }
        }
        return text.toString();
    }
}
