// Loaded before a service: its clock goes ahead, or behind, by TEST_CLOCK_SHIFT_MS. `Date.now` is all that reads it.
const shift = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0)
const now = Date.now
Date.now = () => now() + shift
