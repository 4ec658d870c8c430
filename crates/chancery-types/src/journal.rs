//! The words of the journal of the data plane.

#![expect(missing_docs, reason = "the variants are the interface's own words; each enumeration says what it is for")]

wire_enum! {
    /// How much of the values a call of the data plane showed.
    pub enum JournalView { None, Full, Partial }
}

wire_enum! {
    /// What became of a journal in a search.
    pub enum JournalStanding {
        /// It was looked through, as far as the answer goes, and is whole.
        Searched,
        /// It was, and is not as it was written: calls may be missing.
        NotWhole,
        /// Another server keeps it, which has to be asked for itself.
        Elsewhere,
        /// It is not where it was written.
        Missing,
    }
}
