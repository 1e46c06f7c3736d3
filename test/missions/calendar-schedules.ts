// Schedules by days, weekdays, months and years, and what is understood on Monday, 16 November 2026, 09:00 in Zurich.

export const calendarSchedules: readonly (readonly [text: string, words: string])[] = [
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
  [
    'mon,wed at 9',
    'Mondays and Wednesdays at 09:00, Europe/Zurich. Next: Wed 18 Nov 2026 09:00; Mon 23 Nov 2026 09:00; Wed 25 Nov 2026 09:00.',
  ],
]
