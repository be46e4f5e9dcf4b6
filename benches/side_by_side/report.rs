//! The figures as a Markdown table and as a chart.

use std::fmt::Write;

/// What one server did in the rounds of one workload.
#[derive(Default)]
pub(crate) struct Figures {
    /// Operations a second, one a round.
    pub(crate) rates: Vec<f64>,
    /// Server CPU time of an operation in microseconds, one a round.
    pub(crate) cpu_us: Vec<f64>,
    /// Median over rounds of a round's median wait, in milliseconds.
    pub(crate) p50_ms: Vec<f64>,
    pub(crate) p99_ms: Vec<f64>,
}

/// One workload: the figures of holdfast first, then of each rival.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) figures: Vec<Figures>,
}

pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

/// How many times as good we are in each round: lowest, median, highest.
fn ratios(ours: &[f64], theirs: &[f64], more_is_better: bool) -> (f64, f64, f64) {
    let each = ours.iter().zip(theirs).map(|(ours, theirs)| if more_is_better { ours / theirs } else { theirs / ours });
    let each: Vec<f64> = each.collect();
    let lowest = each.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = each.iter().copied().fold(0.0, f64::max);
    (lowest, median(&each), highest)
}

/// The table of workloads. All ratios say how many times as good holdfast is: above 1 it is ahead.
pub(crate) fn table(servers: &[&str], rows: &[Row]) -> String {
    let mut text = String::from("| workload |");
    servers.iter().for_each(|name| write!(text, " {name} ops/s | CPU us/op | p50 / p99 ms |").expect("a string"));
    servers[1..].iter().for_each(|name| write!(text, " CPU, ops/s, p99 against {name} |").expect("a string"));
    text.push_str("\n|---|");
    (0..servers.len() * 3).for_each(|_| text.push_str("---:|"));
    (1..servers.len()).for_each(|_| text.push_str("---|"));
    text.push('\n');
    for row in rows {
        write!(text, "| {} |", row.name).expect("a string");
        for figures in &row.figures {
            let (rate, cpu) = (median(&figures.rates), median(&figures.cpu_us));
            let (p50, p99) = (median(&figures.p50_ms), median(&figures.p99_ms));
            write!(text, " {rate:.0} | {cpu:.2} | {p50:.3} / {p99:.3} |").expect("a string");
        }
        for rival in &row.figures[1..] {
            let (low, cpu, high) = ratios(&row.figures[0].cpu_us, &rival.cpu_us, false);
            let (_, rate, _) = ratios(&row.figures[0].rates, &rival.rates, true);
            let (_, p99, _) = ratios(&row.figures[0].p99_ms, &rival.p99_ms, false);
            write!(text, " **{cpu:.2}x** ({low:.2} to {high:.2}), {rate:.2}x, {p99:.2}x |").expect("a string");
        }
        text.push('\n');
    }
    text
}

/// The CPU ratios as horizontal bars, with a line where both are equal.
pub(crate) fn chart(servers: &[&str], rows: &[Row]) -> String {
    const LEFT: f64 = 330.0;
    const UNIT: f64 = 90.0;
    const BAR: f64 = 11.0;
    const COLOURS: [&str; 3] = ["#c6302b", "#3066c6", "#5a9e3c"];
    let rivals = &servers[1..];
    let height_of_row = BAR.mul_add(rivals.len() as f64, 9.0);
    let height = height_of_row.mul_add(rows.len() as f64, 60.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"18\" font-weight=\"bold\">Server CPU time of an operation: the rival's over holdfast's</text>\n"
    );
    for (index, name) in rivals.iter().enumerate() {
        let (x, colour) = (150.0_f64.mul_add(index as f64, LEFT), COLOURS[index % COLOURS.len()]);
        writeln!(text, "<rect x=\"{x}\" y=\"26\" width=\"10\" height=\"10\" fill=\"{colour}\"/>").expect("a string");
        writeln!(text, "<text x=\"{}\" y=\"35\">against {name}</text>", x + 15.0).expect("a string");
    }
    for (index, row) in rows.iter().enumerate() {
        let top = height_of_row.mul_add(index as f64, 48.0);
        let label = top + height_of_row / 2.0;
        writeln!(text, "<text x=\"{}\" y=\"{label:.0}\" text-anchor=\"end\">{}</text>", LEFT - 8.0, row.name)
            .expect("a string");
        for (place, rival) in row.figures[1..].iter().enumerate() {
            let (_, ratio, _) = ratios(&row.figures[0].cpu_us, &rival.cpu_us, false);
            let y = BAR.mul_add(place as f64, top);
            let width = (ratio * UNIT).min(540.0);
            let colour = COLOURS[place % COLOURS.len()];
            writeln!(text, "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"9\" fill=\"{colour}\"/>")
                .expect("a string");
            let (x, y) = (LEFT + width + 4.0, y + 9.0);
            writeln!(text, "<text x=\"{x:.1}\" y=\"{y}\" font-size=\"10\">{ratio:.2}x</text>").expect("a string");
        }
    }
    let x = LEFT + UNIT;
    writeln!(
        text,
        "<line x1=\"{x}\" y1=\"42\" x2=\"{x}\" y2=\"{height:.0}\" stroke=\"black\" stroke-dasharray=\"3\"/>"
    )
    .expect("a string");
    text.push_str("</svg>\n");
    text
}
