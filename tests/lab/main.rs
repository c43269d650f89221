//! The laboratory, tested on the real binary and on engines that misbehave.

// Some tests are for Unix or Linux only; elsewhere nobody uses what only they need.
#![cfg_attr(not(target_os = "linux"), allow(unused_imports, dead_code))]

mod client;
mod epd;
mod experiments;
mod matches;
mod profile;

/// A shell script that answers the UCI handshake and then does what `go` says.
fn script(go: &str) -> String {
    format!(
        "sh -c 'while read line; do case \"$line\" in uci) echo id name Scripted; echo uciok;; \
         isready) echo readyok;; go*) {go};; quit) exit 0;; esac; done'"
    )
}
