// Tables of schedules: what is understood on Monday, 16 November 2026, 09:00 in Zurich; what is refused, and why; clock
// changes, leap days and month ends.

export const understoodTexts: readonly (readonly [text: string, words: string])[] = [
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
  ['in 30m', 'Once, on Mon 16 Nov 2026 09:30, Europe/Zurich. Next: Mon 16 Nov 2026 09:30.'],
  ['in 30 minutes', 'Once, on Mon 16 Nov 2026 09:30, Europe/Zurich. Next: Mon 16 Nov 2026 09:30.'],
  ['in 1h', 'Once, on Mon 16 Nov 2026 10:00, Europe/Zurich. Next: Mon 16 Nov 2026 10:00.'],
  ['in an hour', 'Once, on Mon 16 Nov 2026 10:00, Europe/Zurich. Next: Mon 16 Nov 2026 10:00.'],
  ['in a minute', 'Once, on Mon 16 Nov 2026 09:01, Europe/Zurich. Next: Mon 16 Nov 2026 09:01.'],
  ['in half an hour', 'Once, on Mon 16 Nov 2026 09:30, Europe/Zurich. Next: Mon 16 Nov 2026 09:30.'],
  ['in 1h30m', 'Once, on Mon 16 Nov 2026 10:30, Europe/Zurich. Next: Mon 16 Nov 2026 10:30.'],
  ['in 2 hours and 15 minutes', 'Once, on Mon 16 Nov 2026 11:15, Europe/Zurich. Next: Mon 16 Nov 2026 11:15.'],
  ['in one hour', 'Once, on Mon 16 Nov 2026 10:00, Europe/Zurich. Next: Mon 16 Nov 2026 10:00.'],
  ['in three hours', 'Once, on Mon 16 Nov 2026 12:00, Europe/Zurich. Next: Mon 16 Nov 2026 12:00.'],
  ['in two hours', 'Once, on Mon 16 Nov 2026 11:00, Europe/Zurich. Next: Mon 16 Nov 2026 11:00.'],
  ['in 90s', 'Once, on Mon 16 Nov 2026 09:01, Europe/Zurich. Next: Mon 16 Nov 2026 09:01.'],
  ['in 2 days', 'Once, on Wed 18 Nov 2026 09:00, Europe/Zurich. Next: Wed 18 Nov 2026 09:00.'],
  ['in 1 week', 'Once, on Mon 23 Nov 2026 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00.'],
  ['in a day', 'Once, on Tue 17 Nov 2026 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00.'],
  ['at 2027-01-05 09:00', 'Once, on Tue 5 Jan 2027 09:00, Europe/Zurich. Next: Tue 5 Jan 2027 09:00.'],
  ['at 2027-01-05 9:00', 'Once, on Tue 5 Jan 2027 09:00, Europe/Zurich. Next: Tue 5 Jan 2027 09:00.'],
  ['2027-01-05 09:00', 'Once, on Tue 5 Jan 2027 09:00, Europe/Zurich. Next: Tue 5 Jan 2027 09:00.'],
  ['on 2027-01-05 at 9am', 'Once, on Tue 5 Jan 2027 09:00, Europe/Zurich. Next: Tue 5 Jan 2027 09:00.'],
  ['2027-01-05 at noon', 'Once, on Tue 5 Jan 2027 12:00, Europe/Zurich. Next: Tue 5 Jan 2027 12:00.'],
  ['2027-01-05T09:00', 'Once, on Tue 5 Jan 2027 09:00, Europe/Zurich. Next: Tue 5 Jan 2027 09:00.'],
  ['2027-01-05T09:00:30', 'Once, on Tue 5 Jan 2027 09:00, Europe/Zurich. Next: Tue 5 Jan 2027 09:00.'],
  ['2027-01-05T09:00:00Z', 'Once, on Tue 5 Jan 2027 10:00, Europe/Zurich. Next: Tue 5 Jan 2027 10:00.'],
  ['2027-01-05T09:00:00.500Z', 'Once, on Tue 5 Jan 2027 10:00, Europe/Zurich. Next: Tue 5 Jan 2027 10:00.'],
  ['2027-01-05T09:00:00+05:30', 'Once, on Tue 5 Jan 2027 04:30, Europe/Zurich. Next: Tue 5 Jan 2027 04:30.'],
  ['2027-01-05t09:00z', 'Once, on Tue 5 Jan 2027 10:00, Europe/Zurich. Next: Tue 5 Jan 2027 10:00.'],
  ['at 2028-02-29 08:00', 'Once, on Tue 29 Feb 2028 08:00, Europe/Zurich. Next: Tue 29 Feb 2028 08:00.'],
  ['at 2027-03-28 02:30', 'Once, on Sun 28 Mar 2027 03:30, Europe/Zurich. Next: Sun 28 Mar 2027 03:30.'],
  ['at 9am', 'Once, on Tue 17 Nov 2026 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00.'],
  ['at 18:00', 'Once, on Mon 16 Nov 2026 18:00, Europe/Zurich. Next: Mon 16 Nov 2026 18:00.'],
  ['at 08:00', 'Once, on Tue 17 Nov 2026 08:00, Europe/Zurich. Next: Tue 17 Nov 2026 08:00.'],
  ['at noon', 'Once, on Mon 16 Nov 2026 12:00, Europe/Zurich. Next: Mon 16 Nov 2026 12:00.'],
  ['at midnight', 'Once, on Tue 17 Nov 2026 00:00, Europe/Zurich. Next: Tue 17 Nov 2026 00:00.'],
  ['today at 17:00', 'Once, on Mon 16 Nov 2026 17:00, Europe/Zurich. Next: Mon 16 Nov 2026 17:00.'],
  ['tomorrow at 9am', 'Once, on Tue 17 Nov 2026 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00.'],
  ['tomorrow at noon', 'Once, on Tue 17 Nov 2026 12:00, Europe/Zurich. Next: Tue 17 Nov 2026 12:00.'],
  ['friday at 18:00', 'Once, on Fri 20 Nov 2026 18:00, Europe/Zurich. Next: Fri 20 Nov 2026 18:00.'],
  ['on friday at 18:00', 'Once, on Fri 20 Nov 2026 18:00, Europe/Zurich. Next: Fri 20 Nov 2026 18:00.'],
  ['next monday at 9am', 'Once, on Mon 23 Nov 2026 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00.'],
  ['this sunday at 10:00', 'Once, on Sun 22 Nov 2026 10:00, Europe/Zurich. Next: Sun 22 Nov 2026 10:00.'],
  ['monday at 8:00', 'Once, on Mon 23 Nov 2026 08:00, Europe/Zurich. Next: Mon 23 Nov 2026 08:00.'],
  [
    'daily at 9am',
    'Every day at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    'daily at 9',
    'Every day at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    'daily at 9:30',
    'Every day at 09:30, Europe/Zurich. Next: Mon 16 Nov 2026 09:30; Tue 17 Nov 2026 09:30; Wed 18 Nov 2026 09:30.',
  ],
  [
    'daily at 09:30',
    'Every day at 09:30, Europe/Zurich. Next: Mon 16 Nov 2026 09:30; Tue 17 Nov 2026 09:30; Wed 18 Nov 2026 09:30.',
  ],
  [
    'daily at 9:30pm',
    'Every day at 21:30, Europe/Zurich. Next: Mon 16 Nov 2026 21:30; Tue 17 Nov 2026 21:30; Wed 18 Nov 2026 21:30.',
  ],
  [
    'daily at 9:30 pm',
    'Every day at 21:30, Europe/Zurich. Next: Mon 16 Nov 2026 21:30; Tue 17 Nov 2026 21:30; Wed 18 Nov 2026 21:30.',
  ],
  [
    'daily at 12am',
    'Every day at 00:00, Europe/Zurich. Next: Tue 17 Nov 2026 00:00; Wed 18 Nov 2026 00:00; Thu 19 Nov 2026 00:00.',
  ],
  [
    'daily at 12pm',
    'Every day at 12:00, Europe/Zurich. Next: Mon 16 Nov 2026 12:00; Tue 17 Nov 2026 12:00; Wed 18 Nov 2026 12:00.',
  ],
  [
    'daily at noon',
    'Every day at 12:00, Europe/Zurich. Next: Mon 16 Nov 2026 12:00; Tue 17 Nov 2026 12:00; Wed 18 Nov 2026 12:00.',
  ],
  [
    'daily at midnight',
    'Every day at 00:00, Europe/Zurich. Next: Tue 17 Nov 2026 00:00; Wed 18 Nov 2026 00:00; Thu 19 Nov 2026 00:00.',
  ],
  [
    'daily at 0:00',
    'Every day at 00:00, Europe/Zurich. Next: Tue 17 Nov 2026 00:00; Wed 18 Nov 2026 00:00; Thu 19 Nov 2026 00:00.',
  ],
  [
    'daily at 23:59',
    'Every day at 23:59, Europe/Zurich. Next: Mon 16 Nov 2026 23:59; Tue 17 Nov 2026 23:59; Wed 18 Nov 2026 23:59.',
  ],
  [
    'every day at 7:15',
    'Every day at 07:15, Europe/Zurich. Next: Tue 17 Nov 2026 07:15; Wed 18 Nov 2026 07:15; Thu 19 Nov 2026 07:15.',
  ],
  [
    'each day at 7am',
    'Every day at 07:00, Europe/Zurich. Next: Tue 17 Nov 2026 07:00; Wed 18 Nov 2026 07:00; Thu 19 Nov 2026 07:00.',
  ],
  [
    'daily at 9am and 6pm',
    'Every day at 09:00 and 18:00, Europe/Zurich. Next: Mon 16 Nov 2026 18:00; Tue 17 Nov 2026 09:00; Tue 17 Nov 2026 18:00.',
  ],
  [
    'daily at 9am, 12:30 and 6pm',
    'Every day at 09:00, 12:30 and 18:00, Europe/Zurich. Next: Mon 16 Nov 2026 12:30; Mon 16 Nov 2026 18:00; Tue 17 Nov 2026 09:00.',
  ],
  [
    'daily at 9am and 9am',
    'Every day at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    'at 9am every day',
    'Every day at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    'at 9:00 daily',
    'Every day at 09:00, Europe/Zurich. Next: Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00; Thu 19 Nov 2026 09:00.',
  ],
  [
    'at 7am and 7pm daily',
    'Every day at 07:00 and 19:00, Europe/Zurich. Next: Mon 16 Nov 2026 19:00; Tue 17 Nov 2026 07:00; Tue 17 Nov 2026 19:00.',
  ],
  [
    'weekdays at 08:30',
    'Weekdays at 08:30, Europe/Zurich. Next: Tue 17 Nov 2026 08:30; Wed 18 Nov 2026 08:30; Thu 19 Nov 2026 08:30.',
  ],
  [
    'every weekday at 8am',
    'Weekdays at 08:00, Europe/Zurich. Next: Tue 17 Nov 2026 08:00; Wed 18 Nov 2026 08:00; Thu 19 Nov 2026 08:00.',
  ],
  [
    'on weekdays at 17:00',
    'Weekdays at 17:00, Europe/Zurich. Next: Mon 16 Nov 2026 17:00; Tue 17 Nov 2026 17:00; Wed 18 Nov 2026 17:00.',
  ],
  [
    'at 8:30 on weekdays',
    'Weekdays at 08:30, Europe/Zurich. Next: Tue 17 Nov 2026 08:30; Wed 18 Nov 2026 08:30; Thu 19 Nov 2026 08:30.',
  ],
  [
    'weekends at 10',
    'Weekends at 10:00, Europe/Zurich. Next: Sat 21 Nov 2026 10:00; Sun 22 Nov 2026 10:00; Sat 28 Nov 2026 10:00.',
  ],
  [
    'every weekend at 10:00',
    'Weekends at 10:00, Europe/Zurich. Next: Sat 21 Nov 2026 10:00; Sun 22 Nov 2026 10:00; Sat 28 Nov 2026 10:00.',
  ],
  [
    'mondays at 9am',
    'Mondays at 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00; Mon 30 Nov 2026 09:00; Mon 7 Dec 2026 09:00.',
  ],
  [
    'every monday at 9',
    'Mondays at 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00; Mon 30 Nov 2026 09:00; Mon 7 Dec 2026 09:00.',
  ],
  [
    'on mondays at 9',
    'Mondays at 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00; Mon 30 Nov 2026 09:00; Mon 7 Dec 2026 09:00.',
  ],
  [
    'mondays and fridays at 18:00',
    'Mondays and Fridays at 18:00, Europe/Zurich. Next: Mon 16 Nov 2026 18:00; Fri 20 Nov 2026 18:00; Mon 23 Nov 2026 18:00.',
  ],
  [
    'monday and friday at 18:00',
    'Mondays and Fridays at 18:00, Europe/Zurich. Next: Mon 16 Nov 2026 18:00; Fri 20 Nov 2026 18:00; Mon 23 Nov 2026 18:00.',
  ],
  [
    'mondays, wednesdays and fridays at 7:00',
    'Mondays, Wednesdays and Fridays at 07:00, Europe/Zurich. Next: Wed 18 Nov 2026 07:00; Fri 20 Nov 2026 07:00; Mon 23 Nov 2026 07:00.',
  ],
  [
    'mon, wed and fri at 9',
    'Mondays, Wednesdays and Fridays at 09:00, Europe/Zurich. Next: Wed 18 Nov 2026 09:00; Fri 20 Nov 2026 09:00; Mon 23 Nov 2026 09:00.',
  ],
  [
    'every tue and thu at 6:45',
    'Tuesdays and Thursdays at 06:45, Europe/Zurich. Next: Tue 17 Nov 2026 06:45; Thu 19 Nov 2026 06:45; Tue 24 Nov 2026 06:45.',
  ],
  [
    'sundays at 20:00',
    'Sundays at 20:00, Europe/Zurich. Next: Sun 22 Nov 2026 20:00; Sun 29 Nov 2026 20:00; Sun 6 Dec 2026 20:00.',
  ],
  [
    'every monday and every friday at 8',
    'Mondays and Fridays at 08:00, Europe/Zurich. Next: Fri 20 Nov 2026 08:00; Mon 23 Nov 2026 08:00; Fri 27 Nov 2026 08:00.',
  ],
  [
    'weekly on monday at 9',
    'Mondays at 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00; Mon 30 Nov 2026 09:00; Mon 7 Dec 2026 09:00.',
  ],
  [
    'weekly on tuesdays at 10',
    'Tuesdays at 10:00, Europe/Zurich. Next: Tue 17 Nov 2026 10:00; Tue 24 Nov 2026 10:00; Tue 1 Dec 2026 10:00.',
  ],
  [
    'every week on friday at 16:00',
    'Fridays at 16:00, Europe/Zurich. Next: Fri 20 Nov 2026 16:00; Fri 27 Nov 2026 16:00; Fri 4 Dec 2026 16:00.',
  ],
  [
    'at 9am on mondays',
    'Mondays at 09:00, Europe/Zurich. Next: Mon 23 Nov 2026 09:00; Mon 30 Nov 2026 09:00; Mon 7 Dec 2026 09:00.',
  ],
  [
    'monthly on the 1st at 7:00',
    'On the 1st of each month at 07:00, Europe/Zurich. Next: Tue 1 Dec 2026 07:00; Fri 1 Jan 2027 07:00; Mon 1 Feb 2027 07:00.',
  ],
  [
    'monthly on the 2nd at 7am',
    'On the 2nd of each month at 07:00, Europe/Zurich. Next: Wed 2 Dec 2026 07:00; Sat 2 Jan 2027 07:00; Tue 2 Feb 2027 07:00.',
  ],
  [
    'monthly on the 3rd at 7am',
    'On the 3rd of each month at 07:00, Europe/Zurich. Next: Thu 3 Dec 2026 07:00; Sun 3 Jan 2027 07:00; Wed 3 Feb 2027 07:00.',
  ],
  [
    'monthly on the 11th at 7am',
    'On the 11th of each month at 07:00, Europe/Zurich. Next: Fri 11 Dec 2026 07:00; Mon 11 Jan 2027 07:00; Thu 11 Feb 2027 07:00.',
  ],
  [
    'monthly on the 22nd at 7am',
    'On the 22nd of each month at 07:00, Europe/Zurich. Next: Sun 22 Nov 2026 07:00; Tue 22 Dec 2026 07:00; Fri 22 Jan 2027 07:00.',
  ],
  [
    'monthly on 15 at noon',
    'On the 15th of each month at 12:00, Europe/Zurich. Next: Tue 15 Dec 2026 12:00; Fri 15 Jan 2027 12:00; Mon 15 Feb 2027 12:00.',
  ],
  [
    'monthly on the 1st and 15th at 7:00',
    'On the 1st and 15th of each month at 07:00, Europe/Zurich. Next: Tue 1 Dec 2026 07:00; Tue 15 Dec 2026 07:00; Fri 1 Jan 2027 07:00.',
  ],
  [
    'monthly on the 31st at 8:00',
    'On the 31st of each month at 08:00, Europe/Zurich. Next: Thu 31 Dec 2026 08:00; Sun 31 Jan 2027 08:00; Wed 31 Mar 2027 08:00.',
  ],
  [
    'monthly on the last day at 18:00',
    'On the last day of each month at 18:00, Europe/Zurich. Next: Mon 30 Nov 2026 18:00; Thu 31 Dec 2026 18:00; Sun 31 Jan 2027 18:00.',
  ],
  [
    'monthly on the 15th and the last day at 18:00',
    'On the 15th and last day of each month at 18:00, Europe/Zurich. Next: Mon 30 Nov 2026 18:00; Tue 15 Dec 2026 18:00; Thu 31 Dec 2026 18:00.',
  ],
  [
    'every month on the 5th at 9',
    'On the 5th of each month at 09:00, Europe/Zurich. Next: Sat 5 Dec 2026 09:00; Tue 5 Jan 2027 09:00; Fri 5 Feb 2027 09:00.',
  ],
  [
    'on the 3rd of every month at 12:00',
    'On the 3rd of each month at 12:00, Europe/Zurich. Next: Thu 3 Dec 2026 12:00; Sun 3 Jan 2027 12:00; Wed 3 Feb 2027 12:00.',
  ],
  [
    'the 10th of each month at 10:00',
    'On the 10th of each month at 10:00, Europe/Zurich. Next: Thu 10 Dec 2026 10:00; Sun 10 Jan 2027 10:00; Wed 10 Feb 2027 10:00.',
  ],
  [
    'at 9am on the 1st of every month',
    'On the 1st of each month at 09:00, Europe/Zurich. Next: Tue 1 Dec 2026 09:00; Fri 1 Jan 2027 09:00; Mon 1 Feb 2027 09:00.',
  ],
  [
    'yearly on 5 january at 9:00',
    'On the 5th at 09:00 in January, Europe/Zurich. Next: Tue 5 Jan 2027 09:00; Wed 5 Jan 2028 09:00; Fri 5 Jan 2029 09:00.',
  ],
  [
    'yearly on january 5 at 9:00',
    'On the 5th at 09:00 in January, Europe/Zurich. Next: Tue 5 Jan 2027 09:00; Wed 5 Jan 2028 09:00; Fri 5 Jan 2029 09:00.',
  ],
  [
    'every year on the 29th of february at 9',
    'On the 29th at 09:00 in February, Europe/Zurich. Next: Tue 29 Feb 2028 09:00; Sun 29 Feb 2032 09:00; Fri 29 Feb 2036 09:00.',
  ],
  [
    'yearly on 24 dec at 18:00',
    'On the 24th at 18:00 in December, Europe/Zurich. Next: Thu 24 Dec 2026 18:00; Fri 24 Dec 2027 18:00; Sun 24 Dec 2028 18:00.',
  ],
  ['hourly', 'Every hour, Europe/Zurich. Next: Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 11:00; Mon 16 Nov 2026 12:00.'],
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
  [
    'every half hour',
    'Every 30 minutes, Europe/Zurich. Next: Mon 16 Nov 2026 09:30; Mon 16 Nov 2026 10:00; Mon 16 Nov 2026 10:30.',
  ],
  [
    'mon,wed at 9',
    'Mondays and Wednesdays at 09:00, Europe/Zurich. Next: Wed 18 Nov 2026 09:00; Mon 23 Nov 2026 09:00; Wed 25 Nov 2026 09:00.',
  ],
]

const unread = 'it cannot be read'
const fields = 'five fields'

export const refused: readonly (readonly [text: string, why: string])[] = [
  ['', unread],
  [' ', unread],
  ['whenever', unread],
  ['at 2027-00-05 09:00', 'there is no 2027-00-05'],
  ['at 2027-13-05 09:00', 'there is no 2027-13-05'],
  ['at 2027-01-00 09:00', 'there is no 2027-01-00'],
  ['at 2027-01-32 09:00', 'there is no 2027-01-32'],
  ['at 1960-01-05 09:00', 'before 1970'],
  ['soon', unread],
  ['daily', unread],
  ['weekly', unread],
  ['monthly', unread],
  ['@yearly', unread],
  ['@reboot', unread],
  ['@annually', unread],
  ['@midnight', unread],
  ['0 0 9 * * *', fields],
  ['* * * * * *', fields],
  ['0 0 9 * * * 2027', unread],
  ['0 9 * *', unread],
  ['60 9 * * *', 'minute'],
  ['0 24 * * *', 'hour'],
  ['0 9 32 * *', 'day'],
  ['0 9 * 13 *', 'month'],
  ['0 9 * * 8', 'dayOfWeek'],
  ['*/0 * * * *', 'stepping'],
  ['5/15 * * * *', 'stepping'],
  ['0 9 * * fri-mon', 'larger'],
  ['0 9 * * xyz', 'illegal'],
  ['0 9 ? * *', unread],
  ['1,,2 9 * * *', unread],
  ['every 30s', 'one minute'],
  ['every 59 seconds', 'one minute'],
  ['every 0m', 'no time'],
  ['every', unread],
  ['every 2', unread],
  ['every blue moon', unread],
  ['every -1h', unread],
  ['every 1.5h', unread],
  ['every 3 months', unread],
  ['every 999999999 weeks', 'too far'],
  ['every hour minute', unread],
  ['in 0m', 'no time'],
  ['in', unread],
  ['in 30', unread],
  ['in hour', unread],
  ['in the morning', unread],
  ['at', unread],
  ['at 25:00', unread],
  ['at 9:60', unread],
  ['at 13pm', unread],
  ['at 0am', unread],
  ['at 24:00', unread],
  ['daily at', unread],
  ['daily at 9am or so', unread],
  ['daily at 9 and', unread],
  ['daily at dawn', unread],
  ['at 2027-02-30 09:00', 'no 2027-02-30'],
  ['at 2027-13-01 09:00', 'no 2027-13-01'],
  ['at 2027-02-29 08:00', 'no 2027-02-29'],
  ['2027-01-05', unread],
  ['2027-01-05 09:00:61', unread],
  ['2027-01-05T25:00:00Z', 'no date'],
  ['at 05.01.2027 09:00', unread],
  ['tomorrow', unread],
  ['tomorrow at 9am and 6pm', 'single time'],
  ['someday at 9', unread],
  ['mondays and blursdays at 9', unread],
  ['mondays', unread],
  ['monthly on the 32nd at 9:00', 'no month has'],
  ['monthly on the 0th at 9:00', 'no month has'],
  ['monthly on the first at 9:00', unread],
  ['yearly on 5 smarch at 9', unread],
  [
    'daily at ' + Array.from({ length: 25 }, (_, at) => `${at % 24}:${String(at).padStart(2, '0')}`).join(', '),
    'at most 24',
  ],
  ['every ' + '1h '.repeat(100), 'at most 200'],
]

/** `runs` are the next instants after a time. */
type ClockChange = {
  readonly text: string
  readonly zone: string
  readonly after: string
  readonly runs: readonly string[]
}

const zurich = 'Europe/Zurich'
const newYork = 'America/New_York'

export const skips: readonly ClockChange[] = [
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
