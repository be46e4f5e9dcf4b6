# The entry points. `make run` and `make test` need Rust and a C compiler alone.

.PHONY: run test check bench redis-tests

# make run ARGS="--port 7777"
run:
	cargo run --release -- $(ARGS)

test:
	cargo test --all-targets

check:
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --document-private-items

bench:
	benches/run

redis-tests:
	redis-tests/run
