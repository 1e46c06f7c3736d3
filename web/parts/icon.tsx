// Icons on a 16-pixel grid, stroke 1.5, round ends; and the app's mark.
import './icon.css'

const strokes = {
  terminal: 'M2 3.5h12v9H2zM4.5 6.25 6.25 8 4.5 9.75M8 10h3',
  browser: 'M2 3h12v10H2zM2 6h12M4.25 4.5h.01M6 4.5h.01',
  webhook: 'M9 3h4v10H9M2 8h7M6.5 5.25 9.25 8 6.5 10.75',
  api: 'M6 2.75c-2 0-2 .9-2 2.1C4 6.6 3.6 8 2.25 8 3.6 8 4 9.4 4 11.15c0 1.2 0 2.1 2 2.1M10 2.75c2 0 2 .9 2 2.1C12 6.6 12.4 8 13.75 8 12.4 8 12 9.4 12 11.15c0 1.2 0 2.1-2 2.1',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.4 10.4 13.5 13.5',
  waiting: 'M2.5 13h11M4 13V7a4 4 0 0 1 8 0v6M8 5.75v3M8 10.9h.01',
  list: 'M6 4h7.5M6 8h7.5M6 12h7.5M2.75 4h.01M2.75 8h.01M2.75 12h.01',
  book: 'M8 4.2C6.6 3.2 4.6 3 2 3v9.5c2.6 0 4.6.2 6 1.2 1.4-1 3.4-1.2 6-1.2V3c-2.6 0-4.6.2-6 1.2zM8 4.2v9.5',
  wrench:
    'M13.6 4.6a3.6 3.6 0 0 1-4.9 4.3L4.6 13a1.45 1.45 0 0 1-2.05-2.05l4.1-4.1A3.6 3.6 0 0 1 11 2l-2.05 2.05.4 2.2 2.2.4z',
  chart: 'M3 13.25V8.5M6.35 13.25V4.5M9.7 13.25V7M13 13.25V2.75',
  sliders:
    'M2 4.75h6.5M12 4.75h2M2 11.25h2M7.5 11.25H14M8.5 4.75a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 1 0-3.5 0M4 11.25a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 1 0-3.5 0',
  up: 'M8 13V3.25M4 7.25l4-4 4 4',
  clip: 'M13 7.3 7.9 12.4a3.05 3.05 0 0 1-4.3-4.3l5.3-5.3a2.05 2.05 0 0 1 2.9 2.9L6.5 11a1 1 0 0 1-1.45-1.45L9.9 4.7',
  file: 'M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5',
  copy: 'M5.5 5.5H13.5V13.5H5.5zM10.5 5.5V2.5H2.5V10.5H5.5',
  check: 'M2.75 8.5 6.25 12l7-8',
  cross: 'M3.75 3.75l8.5 8.5M12.25 3.75l-8.5 8.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  left: 'M10 3.5 5.5 8 10 12.5',
  fork: 'M4 2.5v11M4 9c0-3 8-1 8-5.5M9.75 5.5 12 3.25 14.25 5.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  retry: 'M13.25 8A5.25 5.25 0 1 1 11.6 4.2L13.25 5.75M13.25 2.5V5.75H10',
  pencil: 'M2.75 13.25l.6-2.9 7.6-7.6 2.3 2.3-7.6 7.6zM9.3 4.4l2.3 2.3',
  key: 'M5.25 7.75a3 3 0 1 1 0 5.5 3 3 0 0 1-1.75-2.75 3 3 0 0 1 1.75-2.75M7.65 8.35 13.25 2.75M11 5l1.75 1.75',
  shield: 'M8 2l5 1.75V8c0 3-2 5-5 6-3-1-5-3-5-6V3.75z',
  globe:
    'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M2 8h12M8 2c1.7 1.6 2.5 3.6 2.5 6S9.7 12.4 8 14c-1.7-1.6-2.5-3.6-2.5-6S6.3 3.6 8 2',
  clock: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 4.75V8l2.25 1.5',
  chat: 'M2.5 3h11v7.5H7L4 13v-2.5H2.5z',
  menu: 'M2.5 4.25h11M2.5 8h11M2.5 11.75h11',
  receipt: 'M3.5 2h9v12l-1.5-1-1.5 1L8 13l-1.5 1L5 13l-1.5 1zM5.75 5h4.5M5.75 7.5h4.5M5.75 10h2.5',
  triangle: 'M8 2.5 14.25 13.25H1.75zM8 6.5v3M8 11.35h.01',
  users:
    'M6 3a2.4 2.4 0 1 1 0 4.8A2.4 2.4 0 0 1 6 3M1.75 13.25c0-2.3 1.7-3.6 4.25-3.6s4.25 1.3 4.25 3.6M10.5 3.15a2.4 2.4 0 0 1 0 4.5M12 9.9c1.5.5 2.3 1.6 2.3 3.35',
  lock: 'M3.5 7h9v6.75h-9zM5.25 7V5a2.75 2.75 0 0 1 5.5 0v2',
  trash: 'M2.5 4.25h11M6 4.25V2.5h4v1.75M4 4.25l.6 9.25h6.8L12 4.25M6.75 7v3.75M9.25 7v3.75',
  pulse: 'M1.75 8.25H4.5L6.25 3.5l3 9 1.75-4.25h3.25',
  panel: 'M2 3h12v10H2zM6 3v10',
  pin: 'M5.5 2.5h5M6.25 2.5v4L4 9.25h8L9.75 6.5v-4M8 9.25v4.25',
  archive: 'M2 3h12v3H2zM3.25 6v7.25h9.5V6M6.5 8.75h3',
  download: 'M8 2.75v7.5M4.75 7.25 8 10.5l3.25-3.25M2.75 13.25h10.5',
  link: 'M9.5 2.75h3.75V6.5M13 3 7.75 8.25M11.5 9.25v4H2.75V4.5h4',
} as const

export type IconName = keyof typeof strokes | 'stop' | 'more'

/** Hidden from screen readers: the control or the text beside it has the words. */
export function Icon({ name, size = 16 }: { name: IconName; size?: 16 | 24 }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width={size === 24 ? 0.85 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {shapeOf(name)}
    </svg>
  )
}

function shapeOf(name: IconName) {
  if (name === 'stop') return <rect x="3.5" y="3.5" width="9" height="9" rx="2" fill="currentColor" />
  if (name !== 'more') return <path d={strokes[name]} />
  return [3, 8, 13].map((x) => <circle key={x} cx={x} cy="8" r="0.6" fill="currentColor" />)
}

/** The app's mark: the plan of a hall with four corners, a door in every wall and a lit court. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path
        d="M3 8.5V5a2 2 0 0 1 2-2h3.5M15.5 3H19a2 2 0 0 1 2 2v3.5M21 15.5V19a2 2 0 0 1-2 2h-3.5M8.5 21H5a2 2 0 0 1-2-2v-3.5"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
      />
      <rect class="court" x="8" y="8" width="8" height="8" rx="1.25" />
    </svg>
  )
}
