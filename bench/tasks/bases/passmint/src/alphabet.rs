pub const LETTERS: &str = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
pub const DIGITS: &str = "23456789";
pub const SYMBOLS: &str = "!#$%&*+-=?@";
