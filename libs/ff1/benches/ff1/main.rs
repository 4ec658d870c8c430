//! Nanoseconds per value of every kernel, against `fpe` and against the machine's bare AES.
//!
//! Everything is measured in one process; each pass takes one sample of every row, and the median over the passes
//! counts, so that whatever else the machine does meets all rows alike. `--json` prints rows and goals for a program.
//! `--only TEXT` measures just the rows whose name contains the text, and those of `fpe`.

mod cases;
mod raw_aes;
mod report;

use std::time::Instant;

const PASSES: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let json = arguments.iter().any(|argument| argument == "--json");
    let only = arguments.iter().skip_while(|&argument| argument != "--only").nth(1);
    let mut cases = cases::all();
    if let Some(only) = only {
        cases.retain(|case| case.kernel.is_none() || case.name().contains(only));
    }
    let mut samples = vec![Vec::new(); cases.len()];
    let mut bare = [Vec::new(), Vec::new()];
    for _ in 0..PASSES {
        for (samples, bits) in bare.iter_mut().zip(cases::KEYS) {
            samples.extend(raw_aes::sample(bits / 32 + 6));
        }
        for (case, samples) in cases.iter_mut().zip(&mut samples) {
            // Once without the clock: the rows before this one have left caches and branch predictors to it cold.
            (case.work)();
            let begin = Instant::now();
            (case.work)();
            samples.push(begin.elapsed().as_nanos() as f64 / case.values as f64);
        }
    }
    let bare = bare.map(|samples| (!samples.is_empty()).then(|| median(samples)));
    let times: Vec<f64> = samples.into_iter().map(median).collect();
    let report = report::Report::new(&cases, &times, bare);
    if json {
        println!("{}", report.json());
    } else {
        report.print();
    }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
