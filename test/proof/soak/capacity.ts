// The capacity of the service: what it did flat out, who was the limit, and the rate that a soak asks for. Pure.

/** A time without pauses: the operations of it, and how much of it each side was busy. */
export type FlatOut = {
  readonly operations: number
  readonly ms: number
  /** Time in which the event loop of the service was busy, commits of SQLite included. */
  readonly serviceBusyMs: number
  /** The same of this process, which is the clients and the model. */
  readonly clientsBusyMs: number
  readonly serviceCpuMs: number
}

export type Capacity = {
  /** Operations per second that the service can do: those there were, or more if others were the limit. */
  readonly perSecond: number
  /** The operations per second that there were. */
  readonly measured: number
  readonly limit: 'service' | 'clients' | 'waiting'
  /** Shares of the time, from 0 to 1. */
  readonly serviceBusy: number
  readonly clientsBusy: number
  /** CPU milliseconds of the service for an operation. */
  readonly cpuMs: number
}

/** An event loop that is busy for this share of the time is the limit. */
const minBusy = 0.85

/**
 * The service is one event loop: while that is not busy all the time, it could do more, in proportion. Operations that wait
 * (for the model, for a turn to end) leave both sides idle. Throws if there is no such number.
 */
export function capacityOf({ operations, ms, serviceBusyMs, clientsBusyMs, serviceCpuMs }: FlatOut): Capacity {
  const measured = (operations / ms) * 1_000
  const [serviceBusy, clientsBusy] = [serviceBusyMs / ms, clientsBusyMs / ms]
  const limit = serviceBusy >= minBusy ? 'service' : clientsBusy >= minBusy ? 'clients' : 'waiting'
  const perSecond = limit === 'service' ? measured : measured / serviceBusy
  if (!(perSecond > 0 && Number.isFinite(perSecond)))
    throw new Error(
      `the capacity is unknown: ${operations} operations in ${ms} ms, event loop busy for ${serviceBusyMs} ms`,
    )
  return { perSecond, measured, limit, serviceBusy, clientsBusy, cpuMs: serviceCpuMs / operations }
}

/** Clients that were the limit cannot ask for more than they did. */
export function rateOf({ perSecond, measured }: Capacity, share: number): number {
  return Math.min(perSecond * share, measured)
}

export function capacityLine({ perSecond, measured, limit, serviceBusy, clientsBusy, cpuMs }: Capacity): string {
  const percent = (part: number): string => `${Math.round(part * 100)} %`
  const who = {
    service: 'the event loop of the service was the limit',
    clients: 'the clients were the limit, so the capacity is a projection',
    waiting: 'both waited most of the time, so the capacity is a projection',
  }[limit]
  return (
    `capacity: ${perSecond.toFixed(0)} operations per second. Flat out there were ${measured.toFixed(0)}, with the service ` +
    `busy for ${percent(serviceBusy)} of the time (${cpuMs.toFixed(1)} ms of CPU for each), and clients and model for ` +
    `${percent(clientsBusy)}: ${who}`
  )
}
