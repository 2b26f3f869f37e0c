mod alphabet;
mod generate;
mod options;

fn main() {
    let options = options::Options::from_args(std::env::args().skip(1));
    for _ in 0..options.count {
        println!("{}", generate::password(&options));
    }
}
