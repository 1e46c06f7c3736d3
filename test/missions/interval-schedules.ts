// Schedules of intervals, and what is understood on Monday, 16 November 2026, 09:00 in Zurich.

export const intervalSchedules: readonly (readonly [text: string, words: string])[] = [
  [
    'every 2h',
    'Every 2 hours, Europe/Zurich. Next: Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 13:00; Mon 16 Nov 2026 15:00.',
  ],
  [
    'every 15 minutes',
    'Every 15 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 09:15; Mon 16 Nov 2026 09:30; Mon 16 Nov 2026 09:45.',
  ],
  [
    'every hour',
    'Every hour, Europe/Zurich. Next: Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 12:00.',
  ],
  [
    'every minute',
    'Every minute, Europe/Zurich. Next: Mon 16 Nov 2026 09:01; Mon 16 Nov 2026 09:02; Mon 16 Nov 2026 09:03.',
  ],
  [
    'every 1 minute',
    'Every minute, Europe/Zurich. Next: Mon 16 Nov 2026 09:01; Mon 16 Nov 2026 09:02; Mon 16 Nov 2026 09:03.',
  ],
  [
    'Every 15 Minutes',
    'Every 15 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 09:15; Mon 16 Nov 2026 09:30; Mon 16 Nov 2026 09:45.',
  ],
  [
    '  every   2 h ',
    'Every 2 hours, Europe/Zurich. Next: Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 13:00; Mon 16 Nov 2026 15:00.',
  ],
  [
    'every 90 minutes',
    'Every 1 hour 30 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 10:30; Mon 16 Nov 2026 12:00; Mon 16 Nov 2026 13:30.',
  ],
  [
    'every 1h30m',
    'Every 1 hour 30 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 10:30; Mon 16 Nov 2026 12:00; Mon 16 Nov 2026 13:30.',
  ],
  [
    'every 1 hour 30 minutes',
    'Every 1 hour 30 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 10:30; Mon 16 Nov 2026 12:00; Mon 16 Nov 2026 13:30.',
  ],
  [
    'every 1 hour and 30 minutes',
    'Every 1 hour 30 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 10:30; Mon 16 Nov 2026 12:00; Mon 16 Nov 2026 13:30.',
  ],
  [
    'every 90s',
    'Every 1 minute 30 seconds, Europe/Zurich. Next: Mon 16 Nov 2026 09:01; Mon 16 Nov 2026 09:03; Mon 16 Nov 2026 09:04.',
  ],
  [
    'every 2 hours',
    'Every 2 hours, Europe/Zurich. Next: Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 13:00; Mon 16 Nov 2026 15:00.',
  ],
  [
    'every 6hrs',
    'Every 6 hours, Europe/Zurich. Next: Mon 16 Nov 2026 15:00; Mon 16 Nov 2026 21:00; Tue 17 Nov 2026 03:00.',
  ],
  [
    'every an hour',
    'Every hour, Europe/Zurich. Next: Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 12:00.',
  ],
  [
    'every half an hour',
    'Every 30 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 09:30; Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 10:30.',
  ],
  [
    'every day',
    'Every day at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    'every 2 days',
    'Every 2 days at 09:00, Europe/Zurich. Next: Wed 18 Nov 2026 09:00; Fri 20 Nov 2026 09:00; Sun 22 Nov 2026 09:00.',
  ],
  [
    'every week',
    'Every 7 days at 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00; Mon 30 Nov 2026 09:00; Mon 7 Dec 2026 09:00.',
  ],
  [
    'every 2 weeks',
    'Every 14 days at 09:00, Europe/Zurich. Next: Mon 30 Nov 2026 09:00; Mon 14 Dec 2026 09:00; Mon 28 Dec 2026 09:00.',
  ],
  [
    'every 36h',
    'Every 1 day 12 hours, Europe/Zurich. Next: Tue 17 Nov 2026 21:00; Thu 19 Nov 2026 09:00; Fri 20 Nov 2026 21:00.',
  ],
  [
    'each hour',
    'Every hour, Europe/Zurich. Next: Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 12:00.',
  ],
  ['hourly', 'Every hour, Europe/Zurich. Next: Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 12:00.'],
  [
    'every half hour',
    'Every 30 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 09:30; Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 10:30.',
  ],
]
