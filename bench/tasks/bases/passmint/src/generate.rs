use crate::alphabet::{DIGITS, LETTERS, SYMBOLS};
use crate::options::Options;
use rand::seq::SliceRandom;

pub fn password(options: &Options) -> String {
    let mut pool: Vec<char> = LETTERS.chars().chain(DIGITS.chars()).collect();
    if options.symbols {
        pool.extend(SYMBOLS.chars());
    }
    let mut rng = rand::thread_rng();
    (0..options.length).map(|_| *pool.choose(&mut rng).unwrap()).collect()
}
