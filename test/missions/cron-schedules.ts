// Schedules as cron patterns, and what is understood on Monday, 16 November 2026, 09:00 in Zurich.

export const cronSchedules: readonly (readonly [text: string, words: string])[] = [
  ['@hourly', 'Every hour, Europe/Zurich. Next: Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 12:00.'],
  [
    '@daily',
    'Every day at 00:00, Europe/Zurich. Next: Tue 17 Nov 2026 00:00; Wed 18 Nov 2026 00:00; Thu 19 Nov 2026 00:00.',
  ],
  [
    '@weekly',
    'Sundays at 00:00, Europe/Zurich. Next: Sun 22 Nov 2026 00:00; Sun 29 Nov 2026 00:00; Sun 6 Dec 2026 00:00.',
  ],
  [
    '@monthly',
    'On the 1st of each month at 00:00, Europe/Zurich. Next: Tue 1 Dec 2026 00:00; Fri 1 Jan 2027 00:00; Mon 1 Feb 2027 00:00.',
  ],
  [
    '@DAILY',
    'Every day at 00:00, Europe/Zurich. Next: Tue 17 Nov 2026 00:00; Wed 18 Nov 2026 00:00; Thu 19 Nov 2026 00:00.',
  ],
  [
    '* * * * *',
    'Every minute, Europe/Zurich. Next: Mon 16 Nov 2026 09:01; Mon 16 Nov 2026 09:02; Mon 16 Nov 2026 09:03.',
  ],
  [
    '0 9 * * 1-5',
    'Weekdays at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    '0 9 * * MON-FRI',
    'Weekdays at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    '0 9 * * mon,wed',
    'Mondays and Wednesdays at 09:00, Europe/Zurich. Next: Wed 18 Nov 2026 09:00; Mon 23 Nov 2026 09:00; Wed 25 Nov 2026 09:00.',
  ],
  [
    '0 9 * * 7',
    'Sundays at 09:00, Europe/Zurich. Next: Sun 22 Nov 2026 09:00; Sun 29 Nov 2026 09:00; Sun 6 Dec 2026 09:00.',
  ],
  [
    '0 9 * * sun',
    'Sundays at 09:00, Europe/Zurich. Next: Sun 22 Nov 2026 09:00; Sun 29 Nov 2026 09:00; Sun 6 Dec 2026 09:00.',
  ],
  [
    '0 9 1 * *',
    'On the 1st of each month at 09:00, Europe/Zurich. Next: Tue 1 Dec 2026 09:00; Fri 1 Jan 2027 09:00; Mon 1 Feb 2027 09:00.',
  ],
  [
    '0 9 1,15 * *',
    'On the 1st and 15th of each month at 09:00, Europe/Zurich. Next: Tue 1 Dec 2026 09:00; Tue 15 Dec 2026 09:00; Fri 1 Jan 2027 09:00.',
  ],
  [
    '0 0 1 1 *',
    'On the 1st at 00:00 in January, Europe/Zurich. Next: Fri 1 Jan 2027 00:00; Sat 1 Jan 2028 00:00; Mon 1 Jan 2029 00:00.',
  ],
  [
    '0 9 1 * mon',
    'On the 1st of each month and Mondays at 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00; Mon 30 Nov 2026 09:00; Tue 1 Dec 2026 09:00.',
  ],
  [
    '*/15 * * * *',
    'Every 15 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 09:15; Mon 16 Nov 2026 09:30; Mon 16 Nov 2026 09:45.',
  ],
  [
    '*/15 9-17 * * mon-fri',
    'Every 15 minutes from 09:00 to 17:59, weekdays, Europe/Zurich. Next: Mon 16 Nov 2026 09:15; Mon 16 Nov 2026 09:30; Mon 16 Nov 2026 09:45.',
  ],
  [
    '*/7 * * * *',
    'At minute 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour, Europe/Zurich. Next: Mon 16 Nov 2026 09:07; Mon 16 Nov 2026 09:14; Mon 16 Nov 2026 09:21.',
  ],
  [
    '0 */3 * * *',
    'Every 3 hours, Europe/Zurich. Next: Mon 16 Nov 2026 12:00; Mon 16 Nov 2026 15:00; Mon 16 Nov 2026 18:00.',
  ],
  [
    '0 */6 * * *',
    'Every day at 00:00, 06:00, 12:00 and 18:00, Europe/Zurich. Next: Mon 16 Nov 2026 12:00; Mon 16 Nov 2026 18:00; Tue 17 Nov 2026 00:00.',
  ],
  [
    '30 */2 * * *',
    'At minute 30 in the hours 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and 22, Europe/Zurich. Next: Mon 16 Nov 2026 10:30; Mon 16 Nov 2026 12:30; Mon 16 Nov 2026 14:30.',
  ],
  [
    '0 8-18 * * *',
    'Every hour from 08:00 to 18:59, Europe/Zurich. Next: Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 12:00.',
  ],
  [
    '5,10 * * * *',
    'At minute 5 and 10 of every hour, Europe/Zurich. Next: Mon 16 Nov 2026 09:05; Mon 16 Nov 2026 09:10; Mon 16 Nov 2026 10:05.',
  ],
  [
    '5 9,17 * * *',
    'Every day at 09:05 and 17:05, Europe/Zurich. Next: Mon 16 Nov 2026 09:05; Mon 16 Nov 2026 17:05; Tue 17 Nov 2026 09:05.',
  ],
  [
    '0 9 * jan,jul *',
    'Every day at 09:00 in January and July, Europe/Zurich. Next: Fri 1 Jan 2027 09:00; Sat 2 Jan 2027 09:00; Sun 3 Jan 2027 09:00.',
  ],
  [
    '0 12 29 2 *',
    'On the 29th at 12:00 in February, Europe/Zurich. Next: Tue 29 Feb 2028 12:00; Sun 29 Feb 2032 12:00; Fri 29 Feb 2036 12:00.',
  ],
  [
    '0 0 31 * *',
    'On the 31st of each month at 00:00, Europe/Zurich. Next: Thu 31 Dec 2026 00:00; Sun 31 Jan 2027 00:00; Wed 31 Mar 2027 00:00.',
  ],
  [
    '0 0 l * *',
    'On the last day of each month at 00:00, Europe/Zurich. Next: Mon 30 Nov 2026 00:00; Thu 31 Dec 2026 00:00; Sun 31 Jan 2027 00:00.',
  ],
  [
    '0 9 15w * *',
    'By the pattern 0 9 15w * *, Europe/Zurich. Next: Tue 15 Dec 2026 09:00; Fri 15 Jan 2027 09:00; Mon 15 Feb 2027 09:00.',
  ],
  [
    '0 9 * * fri#2',
    'By the pattern 0 9 * * fri#2, Europe/Zurich. Next: Fri 11 Dec 2026 09:00; Fri 8 Jan 2027 09:00; Fri 12 Feb 2027 09:00.',
  ],
  [
    '0 9 * * 5l',
    'By the pattern 0 9 * * 5l, Europe/Zurich. Next: Fri 27 Nov 2026 09:00; Fri 25 Dec 2026 09:00; Fri 29 Jan 2027 09:00.',
  ],
  [
    '10-20/5 8 * * *',
    'Every day at 08:10, 08:15 and 08:20, Europe/Zurich. Next: Tue 17 Nov 2026 08:10; Tue 17 Nov 2026 08:15; Tue 17 Nov 2026 08:20.',
  ],
  [
    '0 22 * * 1-5',
    'Weekdays at 22:00, Europe/Zurich. Next: Mon 16 Nov 2026 22:00; Tue 17 Nov 2026 22:00; Wed 18 Nov 2026 22:00.',
  ],
  [
    '0 8,20 * * 0,6',
    'Weekends at 08:00 and 20:00, Europe/Zurich. Next: Sat 21 Nov 2026 08:00; Sat 21 Nov 2026 20:00; Sun 22 Nov 2026 08:00.',
  ],
  [
    '1 2 3 4 5',
    'On the 3rd and Fridays at 02:01 in April, Europe/Zurich. Next: Fri 2 Apr 2027 02:01; Sat 3 Apr 2027 02:01; Fri 9 Apr 2027 02:01.',
  ],
]
