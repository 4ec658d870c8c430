use chancery_ff1::*;
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    let n = if mode == "single" { 1 } else { 1024 };
    let key = Key::new(&[7; 32]).unwrap();
    let c = Ff1Text::new(&key, &Alphabet::DECIMAL).with_tweak_prefix(&[1; 16]);
    let mut t: Vec<u8> = (0..16 * n).map(|i| b'0' + (i * i % 10) as u8).collect();
    let items: Vec<Item> = (0..n).map(|i| Item { start: 16 * i, length: 16, ..Item::default() }).collect();
    let reps = 6_000_000 / n;
    let b = std::time::Instant::now();
    for _ in 0..reps {
        if n == 1 {
            c.encrypt(&[], std::hint::black_box(&mut t)).unwrap();
        } else {
            c.encrypt_batch(std::hint::black_box(&mut t), &[], &items);
        }
    }
    println!("{} ns", b.elapsed().as_nanos() as f64 / (reps * n) as f64);
}
