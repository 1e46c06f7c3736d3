// The Activity page: usage and cost by day, door, model and user, and the latest turns.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { amountWords, costFigure, numberWords, sumFigure, sumWords } from '#core/words.ts'
import type { Door } from '#doors/web/wire/turn.ts'
import { doorOf } from '../lib/doors.ts'
import type { Activity as Figures, Cost, Sum } from '../lib/usage.ts'
import { turnCost } from '../lib/words.ts'
import { Chart } from '../parts/chart.tsx'
import { Segments } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { JobName } from '../parts/job-name.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, When } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { activity, type LatestTurn, latest, type Span, span, spans } from '../store/activity.ts'
import { now } from '../store/clock.ts'
import { useLive } from '../store/live-data.ts'
import { missionAddress } from '../store/missions.ts'
import { isOperator } from '../store/session.ts'
import { settings } from '../store/settings.ts'
import './activity.css'

export function Activity() {
  useLive(activity)
  useLive(latest)
  useEffect(() => {
    if (isOperator.value) void settings.load()
  }, [isOperator.value])
  return (
    <Page
      title="Activity"
      lead="What was done and what it cost, from the receipts of every turn."
      rows=".row-link"
      aside={
        <Segments<Span>
          name="Days"
          value={span.value}
          options={spans.map((value) => ({ value, label: `${value} days` }))}
          onChange={(value) => {
            span.value = value
            void activity.load()
          }}
        />
      }
    >
      <When of={activity} what="The activity" rows={6}>
        {(figures) =>
          figures.byModel.length === 0 && figures.before === undefined ? (
            <Empty
              icon="chart"
              title="Nothing to show yet"
              action={
                <a class="button small" href="/">
                  Start a thread
                </a>
              }
            >
              Cost, tokens and turns appear here once a model has answered.
            </Empty>
          ) : (
            <Shown figures={figures} />
          )
        }
      </When>
    </Page>
  )
}

function Shown({ figures }: { figures: Figures }) {
  const { measure, models, days, byDoor, byModel, byUser, byMission } = figures
  const inCost = measure === 'cost'
  const name = inCost ? 'Cost per day' : 'Tokens per day'
  const text = inCost ? sumFigure : shortNumber
  return (
    <div class="activity">
      <Totals figures={figures} />
      <section class="card activity-chart" aria-labelledby="chart-title">
        <header class="activity-head">
          <h2 id="chart-title">{name}</h2>
          <ul class="legend">
            {models.map((model, at) => (
              <li key={model.name}>
                <span class={`legend-sign chart-${at + 1}`} />
                <span class="one-line">{model.name}</span>
                <span class="quiet">{text(model.total, model.unpriced)}</span>
              </li>
            ))}
          </ul>
        </header>
        <Chart
          name={name}
          days={days}
          models={models}
          text={text}
          axis={inCost ? axisCost : shortNumber}
          now={now.value}
        />
      </section>
      <div class="activity-tables">
        <When of={latest} what="The latest turns" rows={4}>
          {(turns) => <Latest turns={turns} />}
        </When>
        <div class="activity-sums">
          <Sums
            name="By door"
            sums={byDoor.map(({ door, ...sum }) => ({ ...sum, key: door ?? '', name: <DoorName door={door} /> }))}
          />
          <Sums
            name="By model"
            sums={byModel.map((sum) => ({ ...sum, key: sum.name, name: sum.name || 'None answered' }))}
          />
          {byMission.length > 0 && (
            <Sums
              name="By mission"
              sums={byMission.map(({ id, name, ...sum }) => ({
                ...sum,
                key: id,
                name: (
                  <a class="link" href={missionAddress(id)}>
                    {name}
                  </a>
                ),
              }))}
            />
          )}
          {byUser.length > 1 && <Sums name="By user" sums={byUser.map((sum) => ({ ...sum, key: sum.name }))} />}
        </div>
      </div>
    </div>
  )
}

function Totals({ figures }: { figures: Figures }) {
  const { today, total, before, read, written, turns, failed, stopped, days } = figures
  const cap = settings.data.value?.limits.spend_per_day_usd
  return (
    <dl class="card totals">
      <Total name="Today" value={sumWords(today.usd, today.unpriced)}>
        {cap === undefined || cap === null ? 'since midnight UTC' : `of a ${amountWords(cap)} daily cap for each user`}
      </Total>
      <Total name={`Last ${days.length} days`} value={sumWords(total.usd, total.unpriced)}>
        {comparison(total, before, days.length)}
      </Total>
      <Total name="Tokens" value={shortNumber(read + written)}>
        {shortNumber(read)} read, {shortNumber(written)} written
      </Total>
      <Total name="Turns" value={numberWords(turns)}>
        {endsText(failed, stopped)}
      </Total>
    </dl>
  )
}

function Total({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="total-value">{value}</dd>
      <dd>{children}</dd>
    </div>
  )
}

function Latest({ turns }: { turns: readonly LatestTurn[] }) {
  return (
    <Table
      name="Latest turns"
      look="latest-turns"
      columns={[
        { label: 'Latest turns' },
        { label: 'Door' },
        { label: 'Tools', number: true },
        { label: 'Tokens', number: true },
        { label: 'Cost', number: true },
      ]}
    >
      {turns.map(({ job, job: { id, door, usage }, tools }) => (
        <tr key={id}>
          <td class="latest-title">
            <JobName job={job} />
          </td>
          <td class="latest-door">
            <Icon name={doorOf(door).icon} />
            <span>{doorOf(door).label}</span>
          </td>
          <Count count={tools} unit="tool" />
          <Count count={usage.total_tokens} unit="token" />
          <td class="number latest-cost">{turnCost(usage)}</td>
        </tr>
      ))}
    </Table>
  )
}

/** On a phone, where the head of the table is not shown, the unit follows. */
function Count({ count, unit }: { count: number; unit: string }) {
  return (
    <td class="number" data-unit={count === 1 ? ` ${unit}` : ` ${unit}s`}>
      {numberWords(count)}
    </td>
  )
}

type Line = Omit<Sum, 'name'> & { readonly key: string; readonly name: ComponentChildren }

function Sums({ name, sums }: { name: string; sums: readonly Line[] }) {
  return (
    <Table
      name={name}
      look="sums"
      columns={[{ label: name }, { label: 'Turns', number: true }, { label: 'Cost', number: true }]}
    >
      {sums.map((sum) => (
        <tr key={sum.key}>
          <td class="sum-name">{sum.name || 'unknown'}</td>
          <Count count={sum.turns} unit="turn" />
          <td class="number latest-cost">
            {sum.cost || sum.unpriced > 0 ? sumFigure(sum.cost, sum.unpriced) : costFigure(sum.cost)}
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** Null for usage from before doors were counted. */
function DoorName({ door }: { door: Door | null }) {
  if (door === null) return <>Not known</>
  const { icon, label } = doorOf(door)
  return (
    <span class="latest-door">
      <Icon name={icon} />
      {label}
    </span>
  )
}

/** `3 failed, 9 stopped`. */
function endsText(failed: number, stopped: number): string {
  const ends = [
    ...(failed > 0 ? [`${numberWords(failed)} failed`] : []),
    ...(stopped > 0 ? [`${numberWords(stopped)} stopped`] : []),
  ]
  return ends.join(', ') || 'none failed'
}

function comparison(total: Cost, before: Cost | undefined, days: number): string {
  const isPartial = total.unpriced > 0 || (before?.unpriced ?? 0) > 0
  if (isPartial) return 'some prices are unknown'
  if (before === undefined) return `nothing in the ${days} days before`
  if (before.usd === 0) return `free in the ${days} days before`
  const share = Math.round((total.usd / before.usd - 1) * 100)
  return `${share < 0 ? '−' : '+'}${numberWords(Math.abs(share))} % on the ${days} days before`
}

/** `6.2 M`, `31,050`. */
function shortNumber(value: number): string {
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)} M`
  if (value >= 100_000) return `${Math.round(value / 1000)} K`
  return numberWords(Math.round(value))
}

function axisCost(value: number, step: number): string {
  return `$${value.toFixed(step >= 5 ? 0 : step >= 0.01 ? 2 : 4)}`
}
