//! The options as the engine declares them.

use crate::client::{Client, TIMEOUT};

/// Words that separate the parts of an option line.
pub const KEYWORDS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];

/// One `option` line.
#[derive(Debug, Default)]
pub struct Declared {
    pub name: String,
    pub kind: String,
    pub default: Option<String>,
    pub min: Option<String>,
    pub max: Option<String>,
    pub vars: Vec<String>,
}

impl Declared {
    fn parse(line: &str) -> Self {
        let mut option = Self::default();
        let mut words = line.split_whitespace().skip(1).peekable();
        while let Some(keyword) = words.next() {
            let mut value = Vec::new();
            while let Some(word) = words.next_if(|word| !KEYWORDS.contains(word)) {
                value.push(word);
            }
            let value = value.join(" ");
            match keyword {
                "name" => option.name = value,
                "type" => option.kind = value,
                "default" => option.default = Some(value),
                "min" => option.min = Some(value),
                "max" => option.max = Some(value),
                "var" => option.vars.push(value),
                _ => panic!("{keyword:?} in {line:?}"),
            }
        }
        option
    }

    /// Default, least and largest value of a spin option.
    pub fn range(&self) -> (i64, i64, i64) {
        let number = |text: &Option<String>| {
            let text = text.as_ref().unwrap_or_else(|| panic!("a number is missing: {self:?}"));
            text.parse().unwrap_or_else(|_| panic!("{text:?} is no number: {self:?}"))
        };
        (number(&self.default), number(&self.min), number(&self.max))
    }

    /// The command that gives it a value.
    pub fn set(&self, value: impl std::fmt::Display) -> String {
        format!("setoption name {} value {value}", self.name)
    }
}

/// All options of a running, idle engine.
pub fn options(client: &mut Client) -> Vec<Declared> {
    client.send("uci");
    let lines = client.until("uciok", TIMEOUT, |line| line == "uciok");
    lines.iter().filter(|line| line.starts_with("option ")).map(|line| Declared::parse(line)).collect()
}

/// The option of that name.
pub fn option(client: &mut Client, name: &str) -> Declared {
    let found = options(client).into_iter().find(|option| option.name == name);
    found.unwrap_or_else(|| panic!("there is an option {name}"))
}
