pub struct Options {
    pub length: usize,
    pub count: usize,
    pub symbols: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { length: 18, count: 1, symbols: true }
    }
}

impl Options {
    pub fn from_args(mut args: impl Iterator<Item = String>) -> Self {
        let mut options = Options::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--length" => options.length = args.next().and_then(|n| n.parse().ok()).unwrap_or(options.length),
                "--count" => options.count = args.next().and_then(|n| n.parse().ok()).unwrap_or(options.count),
                "--no-symbols" => options.symbols = false,
                _ => {}
            }
        }
        options
    }
}
