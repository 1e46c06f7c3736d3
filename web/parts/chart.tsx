// Stacked bars by day, with a tooltip by pointer and arrow keys, and the same figures as a table for screen readers.
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Day, niceStep } from '../lib/usage.ts'
import { dayText } from '../lib/words.ts'
import './chart.css'

const top = 12
const bottom = 26
const right = 12
type Layout = {
  readonly height: number
  readonly left: number
  readonly days: number
  readonly lines: readonly number[]
}
const wideLayout: Layout = { height: 220, left: 56, days: Number.POSITIVE_INFINITY, lines: [0, 1, 2, 3, 4] }
/** A phone has space for two weeks of bars that can be touched; the table has every day. */
const phoneLayout: Layout = { height: 168, left: 48, days: 14, lines: [0, 2, 4] }
const phoneWidth = 480
const bar = { maxWidth: 20, share: 0.66, corner: 1.5, gap: 1 }
const tip = { width: 200, row: 22, edge: 20 }
const labelWidth = 84

type Props = {
  readonly name: string
  readonly days: readonly Day[]
  readonly models: readonly { readonly name: string }[]
  /** `unpriced` calls have an unknown price and are not in the value. */
  readonly text: (value: number, unpriced: number) => string
  /** The label of a grid line; grid lines are `step` apart. */
  readonly axis: (value: number, step: number) => string
  readonly now: number
}

export function Chart({ name, days: all, models, text, axis, now }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  const layout = width.value < phoneWidth ? phoneLayout : wideLayout
  const days = all.slice(-layout.days)
  const chosen = useSignal<number | undefined>(undefined)
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0)
    })
    if (frame.current) watcher.observe(frame.current)
    return () => watcher.disconnect()
  }, [])
  const move = (event: KeyboardEvent): void => {
    const last = days.length - 1
    const at = chosen.value
    const to = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? last - 1) + 1, Home: 0, End: last }[event.key]
    if (event.key === 'Escape' && at !== undefined) {
      event.preventDefault()
      chosen.value = undefined
    } else if (to !== undefined) {
      event.preventDefault()
      chosen.value = Math.min(Math.max(to, 0), last)
    }
  }
  const spoken = useComputed(() => {
    const day = chosen.value === undefined ? undefined : days[chosen.value]
    return day ? `${titleOf(day, now)}: ${text(day.total, day.unpriced)}` : ''
  })
  return (
    <>
      <div
        class="chart"
        ref={frame}
        role="group"
        aria-label={`${name}; arrow keys go from day to day`}
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => (chosen.value = undefined)}
        onPointerLeave={() => (chosen.value = undefined)}
      >
        {width.value > 0 && (
          <Plot
            {...{ days, models, text, axis, now, layout }}
            width={width.value}
            chosen={chosen.value}
            choose={(at) => (chosen.value = at)}
          />
        )}
        <span class="unseen" role="status">
          {spoken}
        </span>
      </div>
      <Figures {...{ name, models, text, now }} days={all} />
    </>
  )
}

type PlotProps = Omit<Props, 'name'> & {
  readonly layout: Layout
  readonly width: number
  readonly chosen: number | undefined
  readonly choose: (at: number) => void
}

function Plot({ days, models, text, axis, now, layout: { height, left, lines }, width, chosen, choose }: PlotProps) {
  const step = niceStep(Math.max(...days.map(({ total }) => total)))
  const inner = height - top - bottom
  const yOf = (value: number): number => top + inner - (value / (4 * step)) * inner
  const slot = (width - left - right) / days.length
  const wide = Math.min(bar.maxWidth, Math.max(1, slot * bar.share))
  const xOf = (at: number): number => left + slot * at + (slot - wide) / 2
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.floor((width - left) / labelWidth))))
  const day = chosen === undefined ? undefined : days[chosen]
  return (
    <svg width={width} height={height} aria-hidden="true">
      {lines.map((line) => (
        <g key={line} class={line === 0 ? 'chart-base' : 'chart-line'}>
          <line x1={left} x2={width} y1={yOf(line * step)} y2={yOf(line * step)} />
          <text x={left - 10} y={yOf(line * step) + 4} text-anchor="end">
            {axis(line * step, step)}
          </text>
        </g>
      ))}
      {days.map((each, at) => (
        <g key={each.date}>
          <Bar day={each} x={xOf(at)} wide={wide} yOf={yOf} />
          {labelled(at, days.length, every) && (
            <text x={xOf(at) + wide / 2} y={height - 6} text-anchor="middle">
              {at === days.length - 1 ? 'Today' : dayText(`${each.date}T12:00`, now)}
            </text>
          )}
          <rect
            class="chart-hit"
            x={left + slot * at}
            y={top}
            width={slot}
            height={inner}
            onPointerEnter={() => choose(at)}
            onPointerDown={() => choose(at)}
          />
        </g>
      ))}
      {day && chosen !== undefined && (
        <>
          <rect class="chart-chosen" x={xOf(chosen) - 4} y={top - 6} width={wide + 8} height={inner + 8} rx="4" />
          <Tip day={day} models={models} text={text} now={now} x={tipX(xOf(chosen), wide, width)} />
        </>
      )}
    </svg>
  )
}

function Bar({ day, x, wide, yOf }: { day: Day; x: number; wide: number; yOf: (value: number) => number }) {
  let sum = 0
  return (
    <>
      {day.parts.map(({ value }, at) => {
        const low = yOf(sum)
        sum += value
        const tall = low - yOf(sum) - (sum > value ? bar.gap : 0)
        return (
          tall > 0 && (
            <rect
              key={at}
              class={`chart-${at + 1}`}
              x={x}
              y={yOf(sum)}
              width={wide}
              height={tall}
              rx={Math.min(bar.corner, tall / 2)}
            />
          )
        )
      })}
    </>
  )
}

type TipProps = Pick<Props, 'models' | 'text' | 'now'> & { readonly day: Day; readonly x: number }

function Tip({ day, models, text, now, x }: TipProps) {
  const rows = models.flatMap(({ name }, at) => {
    const { value, unpriced } = day.parts[at] ?? { value: 0, unpriced: 0 }
    return value > 0 || unpriced > 0 ? [{ name, value, unpriced }] : []
  })
  return (
    <foreignObject
      class="chart-tip-place"
      x={x}
      y={top}
      width={tip.width}
      height={tip.edge + tip.row * (rows.length + 1) + 8}
    >
      <div class="chart-tip">
        <div>
          <strong>{titleOf(day, now)}</strong>
          <strong>{text(day.total, day.unpriced)}</strong>
        </div>
        {rows.map(({ name, value, unpriced }) => (
          <div key={name}>
            <span class="one-line">{name}</span>
            <span>{text(value, unpriced)}</span>
          </div>
        ))}
      </div>
    </foreignObject>
  )
}

/** Right of the bar if the tooltip fits there, else left. */
function tipX(x: number, wide: number, width: number): number {
  const after = x + wide + 12
  return after + tip.width <= width ? after : Math.max(0, x - 12 - tip.width)
}

/** Labels every `every`-th day and today, except days whose label would touch today's. */
function labelled(at: number, count: number, every: number): boolean {
  return at === count - 1 || (at % every === 0 && count - 1 - at >= every * 0.7)
}

function Figures({ name, days, models, text, now }: Omit<Props, 'axis'>) {
  return (
    // Not the table itself: one is never narrower than its words.
    <div class="unseen">
      <table>
        <caption>{name}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">All</th>
            {models.map((model) => (
              <th key={model.name} scope="col">
                {model.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{titleOf(day, now)}</th>
              <td>{text(day.total, day.unpriced)}</td>
              {day.parts.map(({ value, unpriced }, at) => (
                <td key={at}>{text(value, unpriced)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** `Fri 6 Nov`, in UTC, as the service counts days. */
function titleOf({ date }: Day, now: number): string {
  const week = new Date(date).toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' })
  return `${week} ${dayText(`${date}T12:00`, now)}`
}
