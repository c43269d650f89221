//! Background work other than a search: perft and bench.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Sender;

use super::info::UciStyle;
use super::server::ServerEvent;
use crate::bench;
use crate::board::Position;
use crate::options::Options;
use crate::perft;
use crate::search::STACK;

/// Runs work in a thread that sends its results as text; the flag ends it.
fn start(
    events: &Sender<ServerEvent>,
    work: impl FnOnce(&AtomicBool, &dyn Fn(String)) + Send + 'static,
) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (its_stop, events) = (Arc::clone(&stop), events.clone());
    std::thread::Builder::new().name("task".to_owned()).stack_size(STACK).spawn(move || {
        let tell = |text| {
            let _ = events.send(ServerEvent::Text(text));
        };
        if catch_unwind(AssertUnwindSafe(|| work(&its_stop, &tell))).is_err() {
            tell("info string ERROR internal error in a background task; the engine goes on".to_owned());
        }
        let _ = events.send(ServerEvent::TaskDone);
    })?;
    Ok(stop)
}

/// Counts the legal-move tree, move by move.
pub(super) fn perft(
    events: &Sender<ServerEvent>,
    position: Position,
    depth: u32,
    style: UciStyle,
) -> io::Result<Arc<AtomicBool>> {
    start(events, move |stop, tell| {
        let total = perft::divide(&position, depth, stop, |m, nodes| {
            tell(format!("{}: {nodes}", style.m(m)));
        });
        let whole = if stop.load(Ordering::Relaxed) { " (stopped)" } else { "" };
        tell(format!("\nNodes searched: {total}{whole}"));
    })
}

/// Searches a fixed set of positions.
pub(super) fn bench(
    events: &Sender<ServerEvent>,
    options: Options,
    depth: Option<i32>,
) -> io::Result<Arc<AtomicBool>> {
    start(events, move |stop, tell| {
        let measured = bench::run(&options, depth.unwrap_or(bench::DEPTH), stop, |_, _| {});
        if stop.load(Ordering::Relaxed) {
            tell("info string NOTE bench was interrupted".to_owned());
        } else {
            tell(format!("{} nodes {} nps", measured.nodes, measured.nps()));
        }
    })
}
