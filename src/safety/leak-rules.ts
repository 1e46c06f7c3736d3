// Well-known formats of keys and tokens that their shape alone gives away. A row is one vendor's format: its name, how the
// key begins, how it goes on. A rule is tried only where one of its beginnings is found, and looks a bounded stretch
// ahead, or up to the next beginning.
import {
  decodesToLogin,
  hasDigit,
  isPassword,
  looksLikeModelKey,
  looksLikePassword,
  looksRandom,
  looksRandomOrId,
  uuid,
} from './leak-checks.ts'
import { pemKey } from './pem-key.ts'

export type LeakRule = {
  readonly id: string
  /** Texts that begin a match, case-sensitive. A look-behind of the pattern may check what comes before. */
  readonly anchors: readonly string[]
  /** Sticky, from the anchor on. The value is the first group, or the whole match; a placeholder is no leak. */
  readonly pattern: () => RegExp
  /** The anchor may follow a letter or digit. */
  readonly within?: true
  /** A check of the value that the pattern cannot express. */
  readonly check?: (value: string) => boolean
  /** How the pattern begins, if that may contain further anchors: where it fails, those before the end of the run fail too. */
  readonly run?: Run
}

/** At most `max` characters, of which `pattern` (sticky) matches all and what follows them none. */
export type Run = { readonly pattern: RegExp; readonly max: number }

/** Character classes: letters and digits; those with _ and -; base64; hexadecimal. */
const [an, w, b64, hex] = ['[A-Za-z0-9]', '[A-Za-z0-9_-]', '[A-Za-z0-9+/=]', '[a-f0-9]']
/** Not followed by a character of `an`, or of `w`. */
const [end, endW] = [`(?!${an})`, `(?!${w})`]
const digit = { check: hasDigit }
const random = { check: looksRandom }

const clouds: readonly LeakRule[] = [
  key('aws-access-key', 'AKIA|ABIA|ACCA', `[A-Z0-9]{16}${end}`),
  key('aws-access-key', 'ASIA', `(?!PACIFIC)[A-Z0-9]{16}${end}`),
  key('aws-bedrock-key', 'ABSKQmVkcm9ja|bedrock-api-key-', `${b64}{40,400}`),
  key('aws-session-token', 'IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz', `${b64}{100,2000}`),
  key('aws-mws-token', 'amzn.mws.', uuid),
  key('google-api-key', 'AIza', `${w}{33,50}${endW}`),
  key('google-oauth', 'GOCSPX-', `${w}{28}`),
  key('google-oauth', 'ya29.', `${w}{30,1000}`),
  key('google-oauth', '1//0', `${w}{60,200}`),
  key('firebase-key', ':APA91b', `${w}{100,180}`, { before: `AAAA${w}{7}` }),
  key('azure-key', 'AccountKey=', '[A-Za-z0-9+/]{86}==', { within: true }),
  key('azure-key', 'SharedAccessKey=', '[A-Za-z0-9+/]{43}=', { within: true }),
  key('azure-client-secret', '0Q~|1Q~|2Q~|3Q~|4Q~|5Q~|6Q~|7Q~|8Q~|9Q~', '[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])', {
    before: '[A-Za-z0-9_~.-]{3}',
  }),
  key('azure-sas', 'sig=', '(?:[A-Za-z0-9+/]|%2[BbFf]){40,60}(?:=|%3[Dd])', { within: true }),
  key('azure-devops-token', 'AZDO', `${an}{4}${end}`, { before: `${an}{70,76}` }),
  key('alibaba-key', 'LTAI', `${an}{12,24}${end}`, digit),
  key('tencent-key', 'AKID', `${an}{32}${end}`, digit),
  key('yandex-key', 'AQVN', `${w}{35,38}${endW}`, digit),
  key('yandex-key', 't1.', `${w}{50,300}={0,2}\\.${w}{80,90}={0,2}${endW}`, digit),
  key('digitalocean-token', 'dop_v1_|doo_v1_|dor_v1_', `${hex}{64}`),
  key('cloudflare-key', 'cfut_|cfat_|cfk_', `${an}{40,60}`),
  key('cloudflare-key', 'v1.0-', `${hex}{24}-${hex}{146}`),
  key('heroku-key', 'HRKU-', `(?:${uuid}|${w}{40,80})`),
  key('fly-token', 'fm1r_|fm1a_|fm2_|fo1_', '[A-Za-z0-9+/=_-]{40,1000}'),
  key('vercel-token', 'vcp_|vca_|vci_|vcr_|vck_', `${an}{24,80}`, random),
  key('vercel-token', 'vercel_blob_rw_', `${an}{10,40}_${an}{20,60}`, random),
  key('netlify-token', 'nfp_|nfc_|nfo_|nfu_', `${an}{36,60}`),
  key('render-key', 'rnd_', `${an}{28,40}${end}`, random),
  key('supabase-key', 'sbp_', `${hex}{40}`),
  key('supabase-key', 'sb_secret_', `${w}{20,60}`),
  key('planetscale-token', 'pscale_tkn_|pscale_pw_|pscale_oauth_', '[A-Za-z0-9_.=-]{32,64}'),
  key('neon-key', 'napi_', '[a-z0-9]{40,80}', random),
  key('databricks-token', 'dapi|dkea|dose', `${hex}{32}(?:-\\d)?${end}`),
  key('vault-token', 'hvs.|hvb.|hvr.', `${w}{24,300}`, random),
  key('terraform-token', '.atlasv1.', '[A-Za-z0-9=_-]{60,70}', { before: `${an}{14}` }),
  key('doppler-token', 'dp.', `(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?${an}{40,44}`),
  key('pulumi-token', 'pul-', `${hex}{40}`),
  key('onepassword', 'ops_eyJ', '[A-Za-z0-9+/=_-]{100,2000}'),
  key('onepassword', 'A3-', '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'),
  key('age-key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'),
  key('tailscale-key', 'tskey-', `[a-z]{3,10}-${an}{6,30}(?:-${an}{10,60})?`, digit),
  key('ngrok-key', 'ngrok_api_', `${w}{30,60}`),
]

const codeHosts: readonly LeakRule[] = [
  key('github-token', 'ghp_|gho_|ghu_|ghs_|ghr_', `${an}{36,255}`),
  key('github-token', 'github_pat_', '[A-Za-z0-9_]{22,255}'),
  key(
    'gitlab-token',
    'glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glimt-|glagent-|gloas-|glsoat-|glffct-',
    '[A-Za-z0-9_.-]{20,300}',
  ),
  key('gitlab-token', 'GR1348941', `${w}{20}`),
  key('atlassian-token', 'ATATT3|ATCTT3', '[A-Za-z0-9_=-]{60,400}'),
  key('atlassian-token', 'ATBB', `${an}{28,40}`),
  key('sourcegraph-token', 'sgp_|sgph_', `(?:(?:local|${hex}{16})_)?[A-Fa-f0-9]{40}`),
  key('npm-token', 'npm_', `${an}{36,60}${end}`),
  key('npm-auth', '_authToken=|_auth=|_password=', `["']?([A-Za-z0-9+/=_.-]{16,300})`, {
    within: true,
    // Not an expression in code, such as self.password.
    check: (value) => hasDigit(value) && !/^[A-Za-z_]+\.[A-Za-z_]/.test(value),
  }),
  key('pypi-token', 'pypi-AgE', `${w}{50,400}`),
  key('rubygems-key', 'rubygems_', `${hex}{48}`),
  key('crates-token', 'cio', `${an}{32}${end}`, random),
  key('docker-token', 'dckr_pat_|dckr_oat_', `${w}{27,60}`),
  key('nuget-key', 'oy2', `[a-z0-9]{43}${end}`),
  key('clojars-token', 'CLOJARS_', '[a-z0-9]{60}', digit),
  key('artifactory-key', 'AKCp', `${an}{69,73}`),
  key('artifactory-key', 'cmVmdGtuO', `${b64}{50,100}`),
  key('circleci-token', 'CCIPAT_|CCIPRJ_', `${an}{22}_${hex}{40}`),
  key('buildkite-token', 'bkua_|bkaj_|bkct_', `${an}{40,200}`),
  key('sonar-token', 'sqp_|squ_|sqa_', `${hex}{40}`),
  key('sentry-token', 'sntrys_', '[A-Za-z0-9+/=_]{60,400}'),
  key('sentry-token', 'sntryu_', `${hex}{64}`),
  key('grafana-token', 'glsa_', `${an}{32}_[A-Fa-f0-9]{8}`),
  key('grafana-token', 'glc_eyJ', `${b64}{30,400}`),
  key('newrelic-key', 'NRAK-|NRII-', `${w}{27,32}`),
  key('postman-key', 'PMAK-', `${hex}{24}-${hex}{34}`),
  key('dynatrace-token', 'dt0c01.', '[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  key('dynatrace-token', 'dt0s', '\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  key('posthog-key', 'phx_|phs_', `${an}{40,50}${endW}`, { check: looksRandomOrId }),
  key('launchdarkly-key', 'sdk-', `${uuid}${endW}`, { check: looksRandomOrId }),
  key('lob-key', 'live_|test_', `(?:${hex}{35}|${w}{40})${endW}`, { check: looksRandomOrId }),
  key('infisical-token', 'st.', `${hex}{24}\\.${hex}{32}\\.${hex}{32}${endW}`, { check: looksRandomOrId }),
  key('treasure-key', 'tk-us-', `${w}{48}${endW}`, { check: looksRandomOrId }),
  key('plain-secret', 'secret-', `${an}{43}${endW}`, { check: looksRandomOrId }),
]

const models: readonly LeakRule[] = [
  key('openai-key', 'sk-', `(?:(?:proj|svcacct|admin|None|ant-[a-z0-9]{3,10}|or-v1|lf)-)?(${w}{20,250})`, {
    check: looksLikeModelKey,
  }),
  key('huggingface-token', 'hf_|api_org_', `${an}{30,60}${end}`, {
    check: (value) => /[A-Z]/.test(value) || hasDigit(value),
  }),
  key('groq-key', 'gsk_', `${an}{40,60}${end}`, random),
  key('replicate-key', 'r8_', `${an}{32,45}${end}`, random),
  key('perplexity-key', 'pplx-', `${an}{40,60}${end}`, random),
  key('xai-key', 'xai-', `${w}{60,100}${end}`, random),
  key('together-key', 'tgp_v1_', `${w}{30,60}${end}`, random),
  key('cerebras-key', 'csk-', `${an}{40,60}${end}`, random),
  key('nvidia-key', 'nvapi-', `${w}{50,80}${end}`, random),
  key('pinecone-key', 'pcsk_', `[A-Za-z0-9_]{50,80}${end}`, random),
  key('tavily-key', 'tvly-', `(?:dev-|prod-)?${an}{30,40}${end}`, random),
  key('jina-key', 'jina_', `${an}{50,70}${end}`, random),
  key('e2b-key', 'e2b_', `${hex}{40}${end}`, random),
  key('firecrawl-key', 'fc-', `${hex}{32}${end}`, random),
  key('langsmith-key', 'lsv2_pt_|lsv2_sk_', `${hex}{32}_${hex}{10}${end}`, random),
  key('wandb-key', 'wandb_v1_', `${w}{40,100}${end}`, random),
  key('fireworks-key', 'fw_', `${an}{22,30}${end}`, random),
  key('voyage-key', 'pa-', `${w}{43}${end}`, random),
  key('elevenlabs-key', 'sk_', `${hex}{48}${end}`, random),
  key('mailgun-key', 'key-', `${hex}{32}${end}`, random),
]

const payment: readonly LeakRule[] = [
  key('stripe-key', 'sk_live_|sk_test_|sk_prod_|sk_org_|rk_live_|rk_test_|rk_prod_|rk_org_', '[A-Za-z0-9_]{16,250}'),
  key('stripe-key', 'whsec_', `${b64}{24,80}`),
  key('square-token', 'sq0atp-|sq0csp-|sq0idp-', `${w}{22,43}`, digit),
  key('square-token', 'EAAA', `${w}{60}`, digit),
  key('paypal-token', 'access_token$production$|access_token$sandbox$', `[a-z0-9]{16}\\$${hex}{32}`),
  key('shopify-token', 'shpat_|shpca_|shppa_|shpss_', '[a-fA-F0-9]{32}'),
  key('plaid-token', 'access-sandbox-|access-production-|access-development-', uuid),
  key('razorpay-key', 'rzp_live_|rzp_test_', `${an}{14,24}`),
  key('flutterwave-key', 'FLWSECK-|FLWSECK_TEST-', `${an}{12,40}`),
  key('easypost-key', 'EZAK|EZTK', `${an}{54}`),
  key('shippo-key', 'shippo_live_|shippo_test_', `${hex}{40}`),
  key('duffel-key', 'duffel_live_|duffel_test_', '[A-Za-z0-9_=-]{43}'),
]

const chatAndDocuments: readonly LeakRule[] = [
  key('slack-token', 'xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-', '[A-Za-z0-9%-]{10,250}', digit),
  key('slack-token', 'xoxe.xoxb-|xoxe.xoxp-', `\\d-${an}{100,200}`, digit),
  key('slack-token', 'xapp-', '\\d-[A-Z0-9]{6,20}-\\d{6,20}-[a-z0-9]{40,80}', digit),
  key('slack-webhook', 'hooks.slack.com/services/|hooks.slack.com/workflows/', '([A-Za-z0-9/]{20,100})'),
  key('discord-webhook', 'discord.com/api/|discordapp.com/api/', `(?:v\\d{1,2}/)?webhooks/\\d{16,20}/(${w}{50,90})`),
  key('discord-token', 'MD|MT|Mj|Mz|ND|NT|Nj|Nz|OD|OT', `${an}{21,26}\\.${w}{6}\\.${w}{27,40}${endW}`),
  key('teams-webhook', 'webhook.office.com/webhookb2/', `${uuid}@${uuid}/IncomingWebhook/(${an}{20,40})/${uuid}`),
  key('telegram-token', ':AA', `${w}{30,40}${endW}`, { before: '(?<!\\d)\\d{8,10}' }),
  key('twilio-key', 'SK', `${hex}{32}${end}`),
  key('sendgrid-key', 'SG.', `${w}{16,32}\\.${w}{39,50}`, digit),
  key('brevo-key', 'xkeysib-', `${hex}{64}-${an}{16}`, digit),
  key('resend-key', 're_', `${an}{8}_${an}{20,30}${end}`, digit),
  key('mailchimp-key', '-us', `\\d{1,2}${end}`, { before: `(?<!${an})${hex}{32}` }),
  key('notion-token', 'ntn_', `${an}{40,50}${end}`, random),
  key('notion-token', 'secret_', `${an}{43}${end}`, random),
  key('linear-token', 'lin_api_|lin_oauth_', `${an}{32,64}${end}`, random),
  key('figma-token', 'figd_|figu_', `${w}{38,44}${end}`, random),
  key('typeform-token', 'tfp_', `[A-Za-z0-9_.-]{40,64}${end}`, random),
  key('contentful-token', 'CFPAT-', `${w}{43}${end}`, random),
  key('dropbox-token', 'sl.', `(?:u\\.)?[A-Za-z0-9_=-]{120,300}${end}`, random),
  key('readme-key', 'rdme_', `[a-z0-9]{70}${end}`, random),
  key('prefect-key', 'pnu_', `${an}{36}${end}`, random),
  key('adafruit-key', 'aio_', `${an}{28}${end}`, random),
  key('intercom-key', 'ico-', `${an}{32}${end}`, random),
  key('frameio-token', 'fio-u-', `[A-Za-z0-9_=-]{64}${end}`, random),
  key('mapbox-token', 'sk.eyJ', `${w}{20,300}\\.${w}{10,60}${end}`, random),
  key('hubspot-token', 'pat-na1-|pat-eu1-', uuid),
  key('airtable-token', 'pat', `${an}{14}\\.${hex}{64}`),
  key('facebook-token', 'EAA', `${an}{90,400}${end}`, random),
]

/** Formats that no single vendor owns, and the service's own tokens. */
const shared: readonly LeakRule[] = [
  key('atrium-token', 'atr_', `(?:${w}{43}|${w}{22})${endW}`),
  key('private-key', '-----BEGIN ', pemKey, { within: true }),
  key(
    'private-key',
    'PuTTY-User-Key-File-',
    '\\d: [^\\n]{1,100}\\n(?:[^P]|P(?!rivate-Lines|uTTY)){0,20000}Private-Lines: \\d{1,4}\\s{1,20}([A-Za-z0-9+/=\\s]{20,8000})',
  ),
  key('private-key', 'LS0tLS1CRUdJTi', `${b64}{40,8000}`, {
    check: (value) => Buffer.from(value.slice(0, 120), 'base64').includes('PRIVATE KEY'),
  }),
  key('jwt', 'eyJ', `${w}{8,4000}\\.eyJ${w}{8,8000}\\.(${w}{16,2000})`, {
    run: { pattern: new RegExp(`${w}{1,65536}`, 'y'), max: 4_003 },
  }),
  key('url-password', '://', '[^\\s:@/"\'`<>]{0,100}:([^\\s@/"\'`<>]{3,200})@[A-Za-z0-9[]', {
    before: '[a-z][a-z0-9+.-]{1,20}',
    check: isPassword,
  }),
  key('bearer-header', 'earer |EARER |earer%20|earer+', ` {0,3}["']?([A-Za-z0-9._~+/=-]{20,4000})`, {
    before: '[Bb]',
    check: looksRandom,
  }),
  key('basic-header', 'asic |ASIC ', ' {0,3}([A-Za-z0-9+/]{8,400}={0,2})', { before: '[Bb]', check: decodesToLogin }),
  key('docker-login', 'auth"|auth\\"', `\\s{0,3}:\\s{0,3}\\\\?"([A-Za-z0-9+/]{12,400}={0,2})\\\\?"`, {
    within: true,
    check: decodesToLogin,
  }),
  key('netrc-password', 'machine ', '[^\\s]{1,200}\\s{1,20}login [^\\s]{1,100}\\s{1,20}password ([^\\s]{6,200})', {
    check: isPassword,
  }),
  assigned(
    'aws-secret-key',
    'ecret_access_key|ecretAccessKey|ECRET_ACCESS_KEY|ecretaccesskey|ecret_key|ECRET_KEY|ecretKey',
    '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])',
    (value) => hasDigit(value) && /[A-Z]/.test(value) && /[a-z]/.test(value),
  ),
  assigned(
    'assigned-secret',
    '_TOKEN|_SECRET|APP_KEY|ADMIN_KEY|PRIVATE_KEY|MASTER_KEY|ENCRYPTION_KEY|AUTH_KEY|SIGNING_KEY|ACCESS_KEY|API_KEY|_APIKEY|API-Key',
    '[A-Za-z0-9+/_.~-]{16,200}={0,2}',
    looksRandomOrId,
  ),
  key('assigned-secret', 'SECRET_KEY', `\\s{0,3}=\\s{0,3}["']([^"'\\s]{30,100})["']`, {
    within: true,
    check: (value) => hasDigit(value) && /[a-z]/.test(value) && /[!-/:-@^_]/.test(value),
  }),
  assigned(
    'assigned-password',
    'password|PASSWORD|Password|passwd|PASSWD',
    `[^\\s"'\`,;<>{}()$\\\\]{10,100}`,
    looksLikePassword,
  ),
  assigned(
    'assigned-secret',
    'api_key|API_KEY|apiKey|api-key|Api-Key|API-KEY|ApiKey|apikey|APIKEY|auth_token|AUTH_TOKEN|authToken|access_token|ACCESS_TOKEN|accessToken|api_token|API_TOKEN|apiToken|client_secret|CLIENT_SECRET|clientSecret|app_secret|APP_SECRET|SECRET_KEY|secret_key|secretKey|SECRET_TOKEN|PRIVATE_TOKEN|bot_token|BOT_TOKEN|PASSWORD|SIGNING_SECRET|signing_secret',
    '[A-Za-z0-9+/_.~-]{20,200}={0,2}',
    looksRandom,
  ),
]

export const leakRules: readonly LeakRule[] = [
  ...clouds,
  ...codeHosts,
  ...models,
  ...payment,
  ...chatAndDocuments,
  ...shared,
]

type KeyOptions = Pick<LeakRule, 'within' | 'check' | 'run'> & {
  /** A pattern for the text directly before the beginning. */
  readonly before?: string
}

/** A key that starts with one of the `beginnings`, taken literally, and goes on as the pattern `rest` says. */
function key(id: string, beginnings: string, rest: string, { before, within, check, run }: KeyOptions = {}): LeakRule {
  const anchors = beginnings.split('|')
  const start = anchors.map((each) => each.replaceAll(/[$.+\\]/g, '\\$&')).join('|')
  const source = `${before === undefined ? '' : `(?<=${before})`}(?:${start})${rest}`
  const inside = (within || before !== undefined) && { within: true as const }
  // Made when it is first tried: most never are, and all of them together would slow the start.
  let made: RegExp | undefined
  const pattern = (): RegExp => (made ??= new RegExp(source, 'y'))
  return { id, anchors, pattern, ...inside, ...(check && { check }), ...(run && { run }) }
}

/** A value assigned to a name: in code, JSON, YAML, an env file or a header. The name may go on, as in API_KEY_PROD. */
function assigned(id: string, names: string, value: string, check: (value: string) => boolean): LeakRule {
  const assignment = `\\s{0,3}(?::=|=>|[:=])\\s{0,3}(?:\\\\?["'\`])?(${value})`
  return key(id, names, `[A-Za-z_-]{0,12}(?:\\\\?["'])?${assignment}`, { within: true, check })
}
