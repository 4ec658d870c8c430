//! What is refused outside batches, and what the interface promises to the compiler.

use chancery_ff1::{Alphabet, Error, Ff1, Ff1Text, Kernel, Key};

#[test]
fn keys_of_other_lengths() {
    for length in [0, 15, 17, 31, 33, 64] {
        assert_eq!(Key::new(&vec![0; length]).err(), Some(Error::KeyLength(length)));
    }
}

#[test]
fn radices_out_of_range() {
    let key = Key::new(&[0; 16]).unwrap();
    for radix in [0, 1, 65537, u32::MAX] {
        assert_eq!(Ff1::new(&key, radix).err(), Some(Error::Radix(radix)));
    }
    assert_eq!(Ff1::new(&key, 65536).map(|ff1| ff1.radix()), Ok(65536));
}

#[test]
fn small_domains_name_radix_and_length() {
    let ff1 = Ff1::new(&Key::new(&[0; 16]).unwrap(), 10).unwrap();
    let refused = Error::DomainTooSmall { radix: 10, length: 5 };
    assert_eq!(ff1.encrypt(&[], &mut [1; 5]), Err(refused));
    assert_eq!(refused.to_string(), "radix 10 with length 5 has fewer than 1,000,000 values");
    assert_eq!(ff1.encrypt(&[], &mut [1; 6]), Ok(()));
}

#[test]
fn text_outside_the_alphabet_is_left_alone() {
    let ff1 = Ff1Text::new(&Key::new(&[0; 16]).unwrap(), &Alphabet::LOWER_HEX);
    for length in [8, 16, 17, 33, 100] {
        for position in 0..length {
            for wrong in [b'/', b':', b'`', b'g', b'A', 0, 0x80, 0xff] {
                let mut text = vec![b'f'; length];
                text[position] = wrong;
                let before = text.clone();
                assert_eq!(ff1.encrypt(&[], &mut text), Err(Error::NotInAlphabet { position }));
                assert_eq!(ff1.decrypt(&[], &mut text), Err(Error::NotInAlphabet { position }));
                assert_eq!(text, before);
            }
        }
    }
}

#[test]
fn kernels_have_distinct_names_and_the_portable_one_is_always_there() {
    let mut names: Vec<&str> = Kernel::ALL.iter().map(|kernel| kernel.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Kernel::ALL.len());
    assert_eq!(Kernel::available().next(), Some(Kernel::Portable));
    for kernel in Kernel::ALL {
        let here = Kernel::available().any(|other| other == kernel);
        let key = Key::with_kernel(&[0; 16], kernel);
        assert_eq!(key.map(|key| key.kernel()), if here { Ok(kernel) } else { Err(Error::Kernel) });
    }
}

#[test]
fn objects_are_shared_by_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Key>();
    shared::<Ff1>();
    shared::<Ff1Text>();
}
