//! FF1
#![no_std]
