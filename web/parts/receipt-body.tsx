// The content of a receipt: cost, tools, hosts, secrets, model calls, approvals, safety notes, and the log's check.
import type { ComponentChildren } from 'preact'
import { costWords, countWords, durationWords, numberWords } from '#core/words.ts'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import { printable } from '#safety/printable.ts'
import { effectWords, fencedWords, hostsIn, noteWords, requestWords, secretsIn } from '../lib/receipt.ts'
import { exactTime, whenText } from '../lib/words.ts'
import { now } from '../store/clock.ts'
import { answerIcon, answerWords } from './answer-words.ts'
import { Icon } from './icon.tsx'
import { Note } from './note.tsx'
import './receipt-body.css'
import { tokensOf } from './receipt-line.tsx'

export function ReceiptBody({ receipt }: { receipt: Receipt }) {
  const { tools, model_calls, approvals, notes, started_at, ended_at } = receipt
  const hosts = hostsIn(receipt)
  const secrets = secretsIn(receipt)
  const outside = fencedWords(tools)
  const fenced = outside && printable(outside)
  const took = started_at && ended_at ? ` in ${durationWords(Date.parse(ended_at) - Date.parse(started_at))}` : ''
  return (
    <>
      <div>
        <p class="panel-cost">{costWords(receipt.cost_usd)}</p>
        <p class="quiet">
          {countWords(tokensOf(receipt), 'token')}
          {took}, {countWords(model_calls.length, 'model call')}
        </p>
      </div>
      <Section title="Tools" show={tools.length > 0}>
        {tools.map(({ call_id, name, ok, ms, effects }) => (
          <p key={call_id} class="panel-row panel-tool">
            <code>{printable(name)}</code>
            <span class="quiet">
              {effectWords(effects)}
              {!ok && <span class="clay-sign">{effects && ', '}failed</span>}
            </span>
            <span class="number">{durationWords(ms)}</span>
          </p>
        ))}
      </Section>
      <Section title="Hosts contacted" show={hosts.length > 0}>
        {hosts.map((host) => (
          <p key={host} class="panel-line">
            <Icon name="globe" />
            <code>{printable(host)}</code>
            <span class="number">{printable(requestWords(host, receipt))}</span>
          </p>
        ))}
      </Section>
      <Section title="Secrets used" show={secrets.length > 0}>
        {secrets.map((name) => (
          <p key={name} class="panel-line">
            <Icon name="key" />
            <code>{printable(name)}</code>
          </p>
        ))}
      </Section>
      <Section title="Model" show={model_calls.length > 0}>
        {[...new Set(model_calls.map(({ model }) => model))].map((model) => {
          const own = model_calls.filter((call) => call.model === model)
          const lost = own.filter(({ failed }) => failed)
          const sum = (pick: (call: (typeof own)[number]) => number): number =>
            own.reduce((total, call) => total + pick(call), 0)
          return (
            <div key={model} class="panel-model">
              <p>
                <code>{printable(model)}</code>
              </p>
              {lost.length < own.length && (
                <>
                  <Row end={`${numberWords(sum((call) => call.input_tokens))} tokens`}>Read</Row>
                  <Row end={`${numberWords(sum((call) => call.output_tokens))} tokens`}>Written</Row>
                </>
              )}
              {lost.map(({ attempts = 1 }, at) => (
                <Row key={at} end={countWords(attempts, 'request')}>
                  No answer
                </Row>
              ))}
            </div>
          )
        })}
      </Section>
      <Section title="Approvals" show={approvals.length > 0}>
        {approvals.map((approval) => (
          <p key={approval.call_id} class="panel-line">
            <Icon name={answerIcon(approval)} />
            <span title={exactTime(approval.at)}>
              {printable(answerWords(approval, approval.kind))}, {whenText(approval.at, now.value)}
            </span>
          </p>
        ))}
      </Section>
      <Section title="Safety notes" show={notes.length > 0}>
        {notes.map((note, at) => (
          <p key={at} class="panel-line">
            <Icon name="shield" />
            <span>
              <code>{note.rule}</code> {printable(noteWords(note, tools))}
            </span>
          </p>
        ))}
        {fenced && <p class="quiet">{fenced}</p>}
      </Section>
      {notes.length === 0 && (
        <Note kind="plain" title={approvals.length === 0 ? 'No approvals, no safety notes' : 'No safety notes'}>
          {fenced}
        </Note>
      )}
      {receipt.hash !== null && (
        <p class={receipt.verified ? 'panel-hash' : 'panel-hash wrong'}>
          <Icon name="lock" />
          <code title={receipt.hash}>
            {receipt.hash.slice(0, 4)}…{receipt.hash.slice(-4)}
          </code>
          {receipt.verified ? 'matches the log' : 'does not match the log'}
        </p>
      )}
    </>
  )
}

function Section({ title, show, children }: { title: string; show: boolean; children: ComponentChildren }) {
  if (!show) return null
  return (
    <section>
      <h3 class="label">{title}</h3>
      {children}
    </section>
  )
}

function Row({ end, children }: { end: string; children: ComponentChildren }) {
  return (
    <p class="panel-row">
      <span>{children}</span>
      <span class="number">{end}</span>
    </p>
  )
}
