//! Watches a search: counts where it cut nodes, by the reason. `cargo run --example watch`.

use std::collections::HashMap;

use espalier::search::event::{Event, Interest};
use espalier::search::observer::Observer;
use espalier::{Engine, Limits, Search};

/// How many nodes ended for which reason.
#[derive(Default)]
struct Ends(HashMap<&'static str, u64>);

impl Observer for Ends {
    // Only events of this kind are made up; all others cost nothing.
    const WANTS: Interest = Interest::TREE;

    fn on(&mut self, event: &Event) {
        if let Event::Left { end, .. } = event {
            *self.0.entry(end.label()).or_default() += 1;
        }
    }
}

fn main() {
    let mut engine = Engine::default();
    // One observer per search thread comes back.
    let (outcome, observers) =
        engine.start(Search::new(Limits::depth(8)).observer(Ends::default())).observed();
    let mut ends: Vec<(&str, u64)> = observers.into_iter().flat_map(|ends| ends.0).collect();
    ends.sort_by_key(|(_, count)| std::cmp::Reverse(*count));

    println!("{} nodes", outcome.effort.nodes);
    for (reason, count) in ends {
        println!("{count:>8}  {reason}");
    }
}
