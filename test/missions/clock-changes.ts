// Schedules over clock changes, leap days and month ends, with their next instants.

/** `runs` are the next instants after a time. */
type ClockChange = {
  readonly text: string
  readonly zone: string
  readonly after: string
  readonly runs: readonly string[]
}

const nuuk = 'America/Nuuk'
const zurich = 'Europe/Zurich'
const newYork = 'America/New_York'

export const clockChanges: readonly ClockChange[] = [
  {
    text: 'daily at 02:30',
    zone: zurich,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  },
  { text: '30 2 * * *', zone: zurich, after: '2026-10-24T12:00Z', runs: ['2026-10-25T00:30Z', '2026-10-26T01:30Z'] },
  {
    text: 'daily at 03:00',
    zone: zurich,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T01:00Z', '2026-03-30T01:00Z'],
  },
  {
    text: 'daily at 02:30 and 03:00',
    zone: zurich,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  },
  {
    text: 'every 1h',
    zone: zurich,
    after: '2026-10-24T23:00Z',
    runs: ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z'],
  },
  { text: 'every 1h', zone: zurich, after: '2026-03-29T00:00Z', runs: ['2026-03-29T01:00Z', '2026-03-29T02:00Z'] },
  {
    text: 'every day',
    zone: zurich,
    after: '2026-03-27T08:00Z',
    runs: ['2026-03-28T08:00Z', '2026-03-29T07:00Z', '2026-03-30T07:00Z'],
  },
  {
    text: 'every day',
    zone: zurich,
    after: '2026-10-23T07:00Z',
    runs: ['2026-10-24T07:00Z', '2026-10-25T08:00Z', '2026-10-26T08:00Z'],
  },
  { text: 'every 2 days', zone: zurich, after: '2026-10-23T07:00Z', runs: ['2026-10-25T08:00Z', '2026-10-27T08:00Z'] },
  { text: 'in 1 day', zone: zurich, after: '2026-10-24T07:00Z', runs: ['2026-10-25T08:00Z'] },
  { text: 'in 24h', zone: zurich, after: '2026-10-24T07:00Z', runs: ['2026-10-25T07:00Z'] },
  {
    text: '*/30 * * * *',
    zone: zurich,
    after: '2026-10-25T00:00Z',
    runs: ['2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'],
  },
  { text: '30 2 * * *', zone: newYork, after: '2026-03-07T12:00Z', runs: ['2026-03-08T07:00Z', '2026-03-09T06:30Z'] },
  { text: '30 1 * * *', zone: newYork, after: '2026-10-31T12:00Z', runs: ['2026-11-01T05:30Z', '2026-11-02T06:30Z'] },
  {
    text: '15 2 * * *',
    zone: 'Australia/Lord_Howe',
    after: '2026-10-02T00:00Z',
    runs: ['2026-10-02T15:45Z', '2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  },
  {
    text: 'daily at 2:30 and 9:30',
    zone: zurich,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T01:00Z', '2026-03-29T07:30Z'],
  },
  {
    text: 'daily at 2:30 and 9:30',
    zone: zurich,
    after: '2026-10-24T12:00Z',
    runs: ['2026-10-25T00:30Z', '2026-10-25T08:30Z'],
  },
  {
    text: '30 2,9 * * *',
    zone: zurich,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T07:30Z'],
  },
  {
    text: 'daily at 23:30',
    zone: nuuk,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  },
  {
    text: '0 23 * * *',
    zone: nuuk,
    after: '2026-03-27T12:00Z',
    runs: ['2026-03-28T01:00Z', '2026-03-29T01:00Z', '2026-03-30T00:00Z'],
  },
  {
    text: 'daily at 23:30 and midnight',
    zone: nuuk,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  },
  {
    text: 'saturdays at 23:30',
    zone: nuuk,
    after: '2026-03-26T12:00Z',
    runs: ['2026-03-29T01:00Z', '2026-04-05T00:30Z'],
  },
  {
    text: 'yearly on 28 march at 23:30',
    zone: nuuk,
    after: '2026-03-26T12:00Z',
    runs: ['2026-03-29T01:00Z', '2027-03-29T00:30Z'],
  },
  {
    text: '*/30 * * * *',
    zone: nuuk,
    after: '2026-03-29T00:20Z',
    runs: ['2026-03-29T00:30Z', '2026-03-29T01:00Z'],
  },
  {
    text: 'daily at 23:30',
    zone: nuuk,
    after: '2026-10-24T12:00Z',
    runs: ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
  },
  {
    text: 'at 2026-03-28 23:30',
    zone: nuuk,
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-29T01:30Z'],
  },
  {
    text: 'daily at midnight',
    zone: 'Africa/Cairo',
    after: '2026-04-23T12:00Z',
    runs: ['2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  },
  {
    text: 'daily at 23:30',
    zone: 'Africa/Cairo',
    after: '2026-04-23T12:00Z',
    runs: ['2026-04-23T21:30Z', '2026-04-24T20:30Z'],
  },
  {
    text: 'daily at 0:30',
    zone: 'Asia/Beirut',
    after: '2026-03-28T12:00Z',
    runs: ['2026-03-28T22:00Z', '2026-03-29T21:30Z'],
  },
  {
    text: 'daily at 0:30',
    zone: 'America/Havana',
    after: '2026-03-07T12:00Z',
    runs: ['2026-03-08T05:00Z', '2026-03-09T04:30Z'],
  },
  { text: 'daily at 9am', zone: 'Asia/Kathmandu', after: '2026-11-16T00:00Z', runs: ['2026-11-16T03:15Z'] },
  { text: 'daily at midnight', zone: 'Pacific/Apia', after: '2026-11-16T00:00Z', runs: ['2026-11-16T11:00Z'] },
  { text: '0 0 29 2 *', zone: 'UTC', after: '2026-01-01T00:00Z', runs: ['2028-02-29T00:00Z', '2032-02-29T00:00Z'] },
  {
    text: 'monthly on the 31st at 0:00',
    zone: 'UTC',
    after: '2027-01-31T00:00Z',
    runs: ['2027-03-31T00:00Z', '2027-05-31T00:00Z'],
  },
  { text: 'monthly on the 30th at 0:00', zone: 'UTC', after: '2027-01-30T00:00Z', runs: ['2027-03-30T00:00Z'] },
  {
    text: 'monthly on the last day at 0:00',
    zone: 'UTC',
    after: '2028-01-31T00:00Z',
    runs: ['2028-02-29T00:00Z', '2028-03-31T00:00Z', '2028-04-30T00:00Z'],
  },
  { text: '0 0 1 1 *', zone: 'UTC', after: '2026-12-31T23:59Z', runs: ['2027-01-01T00:00Z'] },
  { text: 'at 2026-10-25 02:30', zone: zurich, after: '2026-10-01T00:00Z', runs: ['2026-10-25T00:30Z'] },
  { text: 'at 2027-03-28 02:30', zone: zurich, after: '2026-10-01T00:00Z', runs: ['2027-03-28T01:30Z'] },
]
