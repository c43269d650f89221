//! `info` lines, read strictly: known words and whole numbers only.

use std::str::SplitWhitespace;

/// A score as printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    Cp(i32),
    Mate(i32),
}

impl Score {
    /// Larger is better for the mover, mates included.
    pub fn rank(self) -> i32 {
        match self {
            Self::Cp(value) => value,
            Self::Mate(moves) if moves > 0 => 1_000_000 - moves,
            Self::Mate(moves) => -1_000_000 - moves,
        }
    }
}

/// One line of search information.
#[derive(Clone, Default, Debug)]
pub struct Info {
    pub depth: Option<u64>,
    pub seldepth: Option<u64>,
    pub multipv: Option<u64>,
    pub nodes: Option<u64>,
    pub score: Option<Score>,
    /// The score is a bound, not exact.
    pub bound: bool,
    pub wdl: Option<[u64; 3]>,
    pub pv: Vec<String>,
}

impl Info {
    /// Reads all search information among lines of output; `info string` and foreign lines are passed over.
    pub fn all(lines: &[String]) -> Vec<Self> {
        let facts = lines.iter().filter(|line| line.starts_with("info ") && !line.starts_with("info string"));
        facts.map(|line| Self::parse(line).unwrap_or_else(|error| panic!("{line:?}: {error}"))).collect()
    }

    fn parse(line: &str) -> Result<Self, String> {
        let mut info = Self::default();
        let mut words = line.split_whitespace();
        words.next();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = Some(number(&mut words)?),
                "seldepth" => info.seldepth = Some(number(&mut words)?),
                "multipv" => info.multipv = Some(number(&mut words)?),
                "nodes" => info.nodes = Some(number(&mut words)?),
                "time" | "nps" | "hashfull" | "tbhits" | "sbhits" | "cpuload" | "currmovenumber" => {
                    number::<u64>(&mut words)?;
                }
                "currmove" => drop(words.next().ok_or("currmove without a move")?),
                "score" => info.score = Some(score(&mut words)?),
                "lowerbound" | "upperbound" => info.bound = true,
                "wdl" => info.wdl = Some([number(&mut words)?, number(&mut words)?, number(&mut words)?]),
                "pv" => info.pv = words.by_ref().map(str::to_owned).collect(),
                _ => return Err(format!("{word} is not a word of info lines")),
            }
        }
        Ok(info)
    }

    /// Which of the MultiPV lines it is, from 1.
    pub fn line(&self) -> u64 {
        self.multipv.unwrap_or(1)
    }

    /// It has a score, and that is no bound.
    pub fn is_exact(&self) -> bool {
        self.score.is_some() && !self.bound
    }
}

fn score(words: &mut SplitWhitespace) -> Result<Score, String> {
    match words.next() {
        Some("cp") => number(words).map(Score::Cp),
        Some("mate") => number(words).map(Score::Mate),
        other => Err(format!("a score of kind {other:?}")),
    }
}

fn number<N: std::str::FromStr>(words: &mut SplitWhitespace) -> Result<N, String> {
    let word = words.next().ok_or("a number is missing")?;
    word.parse().map_err(|_| format!("{word} is not a whole number in range"))
}
