# The name test farms expect: make EXE=name builds the engine under that name.
EXE ?= espalier

.PHONY: all test ci
all:
	cargo build --release
	cp target/release/espalier $(EXE)
test:
	cargo test
ci:
	.ci/run
