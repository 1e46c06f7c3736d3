// The running service: Config -> open doors, and their stop. With hall.ts, the only place that builds things.
import { hostname } from 'node:os'
import { type Config, checkDoors, weakSecrets } from '#config.ts'
import { openLocalDoor } from '#doors/local/door.ts'
import { type Hall, type HallParts, openHall } from '#hall.ts'
import { canRunComponents } from '#hall/components.ts'
import { measureService } from '#hall/metrics.ts'
import { openOidc } from '#hall/oidc.ts'
import { type Home, provisionedToken, tokenFile } from '#home.ts'
import { takeSocket } from '#home/socket.ts'
import { type CountRequest, createRequestCount } from '#http/access.ts'
import type { Gateway } from '#http/server.ts'
import { hashToken, newToken } from '#lib/token.ts'
import { readVersion } from '#lib/version.ts'
import { ollamaAnswers } from '#models/ollama.ts'
import { createDesk, type Desk } from '#turns/desk.ts'
import { type About, statusOf } from '#turns/status.ts'

/** What open turns and streams get at the end before they are released for a restart. */
const graceMs = 10_000

export type Service = {
  readonly hall: Hall
  /** What a terminal of this process works with; an attached one has the same through the socket. */
  readonly desk: Desk
  /** What the first screen shows: addresses, the model, what to do next. */
  readonly lines: readonly string[]
  stop(): Promise<void>
}

export type ServiceParts = HallParts & { /** The terminal counts as a door. */ readonly terminal: boolean }

type OpenDoor = {
  readonly name: string
  readonly address: string
  connections?(): Promise<number>
  /** A link that signs the operator in, once. */
  loginLink?(): Promise<string>
  close(graceMs: number): Promise<void>
}

/** Opens the hall and every enabled door; answers once all of them listen. */
export async function startService(parts: ServiceParts): Promise<Service> {
  checkDoors(parts.configure({}), { terminal: parts.terminal })
  const hall = await openHall(parts)
  const open: OpenDoor[] = []
  const about: About = {
    version: readVersion(),
    startedAt: Date.now(),
    model: () => hall.config.model,
    passedOver: () => hall.passedOver(),
    databaseBackend: hall.store.backend,
    sandboxEnabled: canRunComponents,
    doors: () => [
      ...(parts.terminal ? [{ name: 'terminal' }] : []),
      ...open.map(({ name, address }) => ({ name, address })),
    ],
    connections: async () => (await gatewayOf(open)?.connections?.()) ?? 0,
    draining: () => stopping,
  }
  let stopping = false
  const closeAll = async (patience: number): Promise<void> => {
    stopping = true
    await Promise.all([...open.map((door) => door.close(patience)), hall.runner.drain(patience)])
    await hall.close(0)
  }
  try {
    const { config } = hall
    const token = config.gateway.authToken ?? newToken()
    const count = createRequestCount(hall.metrics)
    if (config.webhook.enabled) open.push(await openWebhookDoor(hall, parts, count))
    // Last of all: its health tells that every door is open.
    if (config.gateway.enabled) open.push(await openGateway(hall, parts, { about, token, count }))
    const desk = openDesk(hall, about)
    const local = await openLocalDoor({
      socket: takeSocket(hall.home.path),
      turns: hall.turns,
      desk,
      log: parts.log,
      reload: () => hall.reload(),
      loginLink: async () => gatewayOf(open)?.loginLink?.(),
      status: async () => ({ ...(await statusOf(hall.turns, about, undefined, Date.now())), pid: process.pid }),
    })
    parts.log.info({ version: about.version, doors: about.doors(), model: config.model.name }, 'started')
    return {
      hall,
      desk,
      lines: await linesOf(hall, open, token),
      async stop() {
        parts.log.info({ running: hall.runner.running }, 'stopping')
        await Promise.all([local.close(graceMs), closeAll(graceMs)])
        parts.log.info({ uptime_secs: Math.floor((Date.now() - about.startedAt) / 1000) }, 'stopped')
      },
    }
  } catch (error) {
    await closeAll(0)
    throw error
  }
}

function gatewayOf(open: readonly OpenDoor[]): OpenDoor | undefined {
  return open.find(({ name }) => name === 'gateway')
}

/** An address that a browser on this machine can open: that of all interfaces is none. */
function openable(url: string): string {
  return url.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
}

function openDesk(hall: Hall, about: About): Desk {
  const { turns, documents } = hall
  return createDesk({
    turns,
    documents,
    tools: () => hall.tools().byName.values(),
    async status() {
      const { costTodayUsd } = await turns.counts(undefined)
      const { provider, name: model } = about.model()
      return { provider, model, passedOver: hall.passedOver(), costTodayUsd, doors: about.doors() }
    },
  })
}

async function openGateway(
  hall: Hall,
  { log }: ServiceParts,
  { about, token, count }: { about: About; token: string; count: CountRequest },
): Promise<OpenDoor> {
  const [
    { createGateway },
    { countProcess, metricsRoute },
    { createChatLimit },
    { createOrigins },
    { createSessions },
  ] = await Promise.all([
    import('#http/server.ts'),
    import('#http/metrics.ts'),
    import('#http/limits.ts'),
    import('#http/origin.ts'),
    import('#http/session.ts'),
  ])
  const [
    { webRoutes },
    { toolAccessRoutes },
    { mountLive },
    { pageRoutes },
    { responsesRoutes },
    { createClientAddress },
  ] = await Promise.all([
    import('#doors/web/door.ts'),
    import('#doors/web/tool-access.ts'),
    import('#doors/web/live.ts'),
    import('#doors/web/pages.ts'),
    import('#doors/responses/routes.ts'),
    import('#http/address.ts'),
  ])
  const { config, store, turns, documents } = hall
  const operatorTokens = [token, config.operatorToken ?? provisionedToken(hall.home)]
  const sessions = createSessions({ store: store.sessions, operatorHashes: operatorTokens.map(hashToken), log })
  const origins = createOrigins({
    allowed: config.gateway.allowedOrigins,
    names: [config.gateway.host, hostname(), `${hostname()}.local`],
    trustProxy: config.trustProxy,
  })
  const { signInsPerMinute } = config
  const chatLimit = createChatLimit({ limits: store.limits, perMinute: config.chatRatePerMinute })
  const oidc = await openOidc(hall, log)
  const gateway: Gateway = await createGateway({
    auth: {
      operatorTokens,
      accounts: store.accounts,
      sessions,
      storeAway: hall.storeAway,
      signInsPerMinute,
      ...(oidc && { oidc }),
    },
    origins,
    health: { ping: () => store.ping(), draining: about.draining },
    chatLimit,
    trustProxy: config.trustProxy,
    log,
    countRequest: count,
  })
  const { lastCall } = gateway
  const web = webRoutes({
    turns,
    accounts: store.accounts,
    documents,
    lastCall,
    sessions,
    ...(oidc && config.oidc?.clientId !== undefined && { oidc }),
    authenticate: gateway.authenticate,
    limits: store.limits,
    signInsPerMinute,
    clientAddress: createClientAddress(config.trustProxy),
    origins,
    settings: hall.settings,
    toolDesk: hall.toolDesk,
    routes: () => gateway.routes(),
    about,
  })
  gateway.mount({ routes: web })
  mountLive(gateway.sockets, { turns, chatLimit, log })
  const issuer = config.oidc?.clientId === undefined ? {} : { issuer: config.oidc.issuer }
  gateway.mount({ routes: pageRoutes(issuer) })
  gateway.mount({
    routes: toolAccessRoutes({ turns, access: () => hall.access(), reload: () => hall.reload(), origins }),
  })
  gateway.mount(
    responsesRoutes({
      turns,
      externalTools: config.responses.externalTools,
      turnTimeoutMs: config.responses.turnTimeoutSecs * 1000,
      registered: () => hall.tools().byName,
      models: () => [hall.config.model.name],
      lastCall,
      log,
    }),
  )
  countProcess(hall.metrics)
  measureService(hall.metrics, { turns, runner: hall.runner, about })
  gateway.mount({ routes: [metricsRoute(hall.metrics)] })
  const { url } = await gateway.listen(config.gateway.host, config.gateway.port)
  return {
    name: 'gateway',
    address: url,
    connections: () => gateway.connections(),
    loginLink: async () => `${openable(url)}/login#code=${await sessions.makeCode()}`,
    close: (patience) => gateway.close(patience),
  }
}

async function openWebhookDoor(
  { config, turns, store }: Hall,
  { log }: ServiceParts,
  countRequest: CountRequest,
): Promise<OpenDoor> {
  const { openWebhook } = await import('#doors/webhook/door.ts')
  const { host, port, secret = '', ratePerMinute } = config.webhook
  const webhook = await openWebhook({
    turns,
    limits: store.limits,
    secret,
    host,
    port,
    ratePerMinute,
    trustProxy: config.trustProxy,
    log,
    countRequest,
  })
  return { name: 'webhook', address: webhook.url, close: (patience) => webhook.close(patience) }
}

/** The start in words. A generated token is the one secret that is printed, once per start. */
async function linesOf(
  { config, home }: { config: Config; home: Home },
  open: readonly OpenDoor[],
  token: string,
): Promise<string[]> {
  const { gateway, model, notices } = config
  const lines = open.map(({ name, address }) => `${name.padEnd(8)} ${address}`)
  const found = gatewayOf(open)
  if (found) {
    const lasting = config.operatorToken === undefined ? tokenFile(home) : 'SERVICE_REBORN_WEBUI_TOKEN'
    lines.push(`api      ${found.address}/api/v1`)
    lines.push(`sign in  ${await found.loginLink?.()}  (once, within 10 minutes)`)
    lines.push(`operator the lasting token is in ${lasting}`)
    if (!gateway.authToken) lines.push(`token    ${token}  (made for this start alone)`)
  }
  lines.push(`model    ${await modelLine(model)}`, ...notices)
  for (const { name, host } of weakSecrets(config)) {
    lines.push(`WARNING  ${name} is too short for a door on ${host}: set a long random one (openssl rand -hex 32)`)
  }
  return lines
}

/** Which model answers, and why that one. */
async function modelLine({ provider, name, source, fallback = [] }: Config['model']): Promise<string> {
  if (provider === 'offline') {
    const found = source === 'default' && (await ollamaAnswers())
    const hint = found
      ? 'a local Ollama answers: atrium model set ollama qwen3'
      : 'a real one: atrium model set ollama qwen3'
    return `offline  (built in; ${hint})`
  }
  const why = {
    environment: 'by LLM_PROVIDER',
    settings: 'as stored',
    key: 'its key is in the environment',
    default: '',
  }
  const others = fallback.map((each) => `${each.provider}/${each.name}`)
  const next = others.length > 0 ? `; else ${others.join(', ')}` : ''
  return `${provider === name ? name : `${provider} ${name}`}  (${why[source]}${next})`
}
