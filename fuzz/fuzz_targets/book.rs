#![no_main]

#[path = "../targets.rs"]
#[expect(dead_code, reason = "every target is a program of its own and uses one function")]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::book(bytes));
