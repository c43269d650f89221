//! `espalier match` with more than two players: a round robin or a gauntlet.

use std::fs::File;
use std::io::Write;

use serde_json::{Value, json};

use super::match_files::{Files, new_pgn};
use super::matches::{Shared, Watching, complaints, made_by, names_of, openings_again, play};
use super::shared::TableForm;
use super::{Failure, terminal};
use crate::lab::matches::Match;
use crate::lab::matches::player::PlayerConfig;
use crate::lab::matches::standing::Standing;
use crate::lab::matches::store::MatchTerms;
use crate::lab::matches::tournament::{CrossTable, Schedule};

const ELO_IN_TABLE: &str = "Elo: 0 for the average player, with the half width of the 95 % interval.";
const NO_ELO_IN_TABLE: &str =
    "Elo is not known yet: a player has all the points against the others, or none, or has not played.";

impl Shared {
    /// Plays every match of the tournament, one after the other.
    pub(super) fn play_tournament(
        &self,
        players: &[PlayerConfig],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let arguments = &self.arguments;
        let schedule = if arguments.gauntlet { Schedule::Gauntlet } else { Schedule::RoundRobin };
        let meetings = schedule.matches(players.len());
        let pairs: Vec<[PlayerConfig; 2]> =
            meetings.iter().map(|meeting| meeting.map(|index| players[index].clone())).collect();
        let games: Vec<Match<'_>> = pairs.iter().map(|pair| self.game(pair)).collect();
        if let Some(warning) = games.iter().find_map(openings_again) {
            terminal::say(&warning);
        }
        let mut all_files = self.tournament_files(&meetings, &games)?;
        let done = all_files.iter().map(|files| files.done.len() as u64).sum();
        let watch = Watching::new(done, games.iter().map(|game| game.games).sum());
        let mut cross = CrossTable { names: names_of(players), matches: Vec::new() };
        for ((meeting, game), files) in meetings.iter().zip(&games).zip(&mut all_files) {
            let who = meeting.map(|index| cross.names[index].as_str()).join(" – ");
            let standing = play(game, files, &watch, &format!("{who}: "))?;
            cross.matches.push((*meeting, standing));
        }
        watch.bar.finish_and_clear();
        let all_terms: Vec<MatchTerms> = games.iter().map(|game| self.terms(game)).collect();
        self.print_tournament(&cross, players, &all_terms, out)?;
        let (played, wanted) = (cross.games(), games.iter().map(|game| game.games).sum());
        let unfinished = watch.is_stopped() && played < wanted;
        let standings: Vec<&Standing> = cross.matches.iter().map(|(_, standing)| standing).collect();
        complaints(&standings, &self.book, unfinished.then(|| arguments.interrupted(played, wanted)))
    }

    /// A folder for each match, named by the numbers of its players, or one PGN file for all.
    fn tournament_files(&self, meetings: &[[usize; 2]], games: &[Match<'_>]) -> Result<Vec<Files>, Failure> {
        let pgn = self.arguments.pgn.as_deref().map(new_pgn).transpose()?;
        let open = |([first, second], game): (&[usize; 2], &Match<'_>)| {
            let folder =
                self.arguments.out.as_ref().map(|out| out.join(format!("{}-{}", first + 1, second + 1)));
            let pgn = pgn.as_ref().map(File::try_clone).transpose()?;
            Files::open(folder.as_deref(), pgn, &self.terms(game))
        };
        meetings.iter().zip(games).map(open).collect()
    }

    fn print_tournament(
        &self,
        cross: &CrossTable,
        players: &[PlayerConfig],
        all_terms: &[MatchTerms],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let result = |((_, standing), terms): (&([usize; 2], Standing), &MatchTerms)| json!({ "match": terms, "result": standing.summary(None) });
        let matches: Vec<Value> = cross.matches.iter().zip(all_terms).map(result).collect();
        let document = json!({ "table": cross.to_json(), "games": self.arguments.games, "matches": matches });
        if let Some(folder) = &self.arguments.out {
            terminal::write_file(&folder.join("result.json"), format!("{document:#}\n"))?;
        }
        match self.arguments.common.form {
            TableForm { json: true, .. } => writeln!(out, "{document:#}")?,
            form if form != TableForm::default() => write!(out, "{}", form.show(&cross.table()))?,
            form => {
                write!(out, "{}", form.show(&cross.table()))?;
                let note = if cross.has_ratings() { ELO_IN_TABLE } else { NO_ELO_IN_TABLE };
                writeln!(out, "\n{}", terminal::paragraphs(note))?;
                let described: Vec<_> = players.iter().map(PlayerConfig::describe).collect();
                if let Some(terms) = all_terms.first() {
                    writeln!(out, "\n{}", made_by(terms, &described))?;
                }
            }
        }
        Ok(())
    }
}
