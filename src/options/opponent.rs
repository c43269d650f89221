//! The opponent as in `UCI_Opponent`: `TITLE RATING human|computer NAME`, where title and rating may be `none`.

/// The opponent's rating, if known.
///
/// ```
/// use espalier::options::rating_of_opponent;
/// assert_eq!(rating_of_opponent("GM 2800 human Garry Kasparov"), Some(2800));
/// assert_eq!(rating_of_opponent("none none computer Crafty 25.6"), None);
/// ```
pub fn rating_of_opponent(text: &str) -> Option<i32> {
    let mut words = text.split_whitespace().skip(1);
    let rating = words.next()?.parse().ok().filter(|rating| (1..=5_000).contains(rating))?;
    matches!(words.next(), Some("human" | "computer")).then_some(rating)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_rating_is_not_taken_for_one() {
        for text in [
            "",
            "2800",
            "GM 2800",
            "GM 2800 Kasparov",
            "none 0 human x",
            "none -5 computer x",
            "GM x human y",
        ] {
            assert_eq!(rating_of_opponent(text), None, "{text}");
        }
        assert_eq!(rating_of_opponent("none 1600 computer"), Some(1600));
    }
}
