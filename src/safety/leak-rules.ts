// The customary formats of keys and tokens: what is a credential by its shape alone. A rule is looked at where one of its
// anchors stands, and sees a bounded stretch ahead, or one that the next anchor ends.

export type LeakRule = {
  readonly id: string
  /** Texts that begin a match, or stand at a fixed place in it; case counts. */
  readonly anchors: readonly string[]
  /** Sticky, from the anchor on. The first group, where there is one, is the value that must not be a placeholder. */
  readonly pattern: RegExp
  /** The anchor may follow a letter or digit. */
  readonly within?: true
  /** What the shape cannot say. Given the value. */
  readonly check?: (value: string) => boolean
}

const w = '[A-Za-z0-9_-]'
const an = '[A-Za-z0-9]'
const hex = '[a-f0-9]'
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`

export const leakRules: readonly LeakRule[] = [
  // Clouds
  rule('aws-access-key', 'AKIA|ASIA|ABIA|ACCA', '(?:AKIA|ASIA(?!PACIFIC)|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  assigned(
    'aws-secret-key',
    'ecret_access_key|ecretAccessKey|ECRET_ACCESS_KEY|ecretaccesskey|ecret_key|ECRET_KEY|ecretKey',
    '[A-Za-z_]{8,20}',
    '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])',
    (value) => hasDigit(value) && /[A-Z]/.test(value) && /[a-z]/.test(value),
  ),
  rule('aws-bedrock-key', 'ABSKQmVkcm9ja|bedrock-api-key-', '(?:ABSKQmVkcm9ja|bedrock-api-key-)[A-Za-z0-9+/=]{40,400}'),
  rule(
    'aws-session-token',
    'IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz',
    '(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/=]{100,2000}',
  ),
  rule('aws-mws-token', 'amzn.mws.', `amzn\\.mws\\.${uuid}`),
  rule('google-api-key', 'AIza', `AIza${w}{33,50}(?!${w})`),
  rule('google-oauth', 'GOCSPX-|ya29.|1//0', `(?:GOCSPX-${w}{28}|ya29\\.${w}{30,1000}|1//0${w}{60,200})`),
  rule(
    'azure-key',
    'AccountKey=|SharedAccessKey=',
    '(?:AccountKey=[A-Za-z0-9+/]{86}==|SharedAccessKey=[A-Za-z0-9+/]{43}=)',
    { within: true },
  ),
  rule(
    'azure-client-secret',
    '0Q~|1Q~|2Q~|3Q~|4Q~|5Q~|6Q~|7Q~|8Q~|9Q~',
    '(?<=[A-Za-z0-9_~.-]{3})\\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])',
    { within: true },
  ),
  rule('azure-sas', 'sig=', 'sig=(?:[A-Za-z0-9+/]|%2[BbFf]){40,60}(?:=|%3[Dd])', { within: true }),
  rule('azure-devops-token', 'AZDO', `(?<=${an}{70,76})AZDO${an}{4}(?!${an})`, { within: true }),
  rule('alibaba-key', 'LTAI', `LTAI${an}{12,24}(?!${an})`, { check: hasDigit }),
  rule('tencent-key', 'AKID', `AKID${an}{32}(?!${an})`, { check: hasDigit }),
  rule('yandex-key', 'AQVN|t1.', `(?:AQVN${w}{35,38}|t1\\.${w}{50,300}={0,2}\\.${w}{80,90}={0,2})(?!${w})`, {
    check: hasDigit,
  }),
  rule('firebase-key', ':APA91b', `(?<=AAAA${w}{7}):APA91b${w}{100,180}`, { within: true }),
  rule('digitalocean-token', 'dop_v1_|doo_v1_|dor_v1_', `do[opr]_v1_${hex}{64}`),
  rule('cloudflare-key', 'cfut_|cfat_|cfk_|v1.0-', `(?:cf(?:ut|at|k)_${an}{40,60}|v1\\.0-${hex}{24}-${hex}{146})`),
  rule('heroku-key', 'HRKU-', `HRKU-(?:${uuid}|${w}{40,80})`),
  rule('fly-token', 'fm1r_|fm1a_|fm2_|fo1_', `(?:fm1[ar]_|fm2_|fo1_)[A-Za-z0-9+/=_-]{40,1000}`),
  rule(
    'vercel-token',
    'vcp_|vca_|vci_|vcr_|vck_|vercel_blob_rw_',
    `(?:vc[pairk]_${an}{24,80}|vercel_blob_rw_${an}{10,40}_${an}{20,60})`,
    { check: looksRandom },
  ),
  rule('netlify-token', 'nfp_|nfc_|nfo_|nfu_', `nf[pcou]_${an}{36,60}`),
  rule('render-key', 'rnd_', `rnd_${an}{28,40}(?!${an})`, { check: looksRandom }),
  rule('supabase-key', 'sbp_|sb_secret_', `(?:sbp_${hex}{40}|sb_secret_${w}{20,60})`),
  rule('planetscale-token', 'pscale_', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}'),
  rule('neon-key', 'napi_', 'napi_[a-z0-9]{40,80}', { check: looksRandom }),
  rule('databricks-token', 'dapi|dkea|dose', `(?:dapi|dkea|dose)${hex}{32}(?:-\\d)?(?!${an})`),
  rule('vault-token', 'hvs.|hvb.|hvr.', `hv[sbr]\\.${w}{24,300}`, { check: looksRandom }),
  rule('terraform-token', '.atlasv1.', `(?<=${an}{14})\\.atlasv1\\.[A-Za-z0-9=_-]{60,70}`, { within: true }),
  rule('doppler-token', 'dp.', `dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?${an}{40,44}`),
  rule('pulumi-token', 'pul-', `pul-${hex}{40}`),
  rule(
    'onepassword',
    'ops_eyJ|A3-',
    `(?:ops_eyJ[A-Za-z0-9+/=_-]{100,2000}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})`,
  ),
  rule('age-key', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  rule('tailscale-key', 'tskey-', `tskey-[a-z]{3,10}-${an}{6,30}(?:-${an}{10,60})?`, { check: hasDigit }),
  rule('ngrok-key', 'ngrok_api_', `ngrok_api_${w}{30,60}`),
  // Code hosts, packages, builds
  rule(
    'github-token',
    'ghp_|gho_|ghu_|ghs_|ghr_|github_pat_',
    `(?:gh[pousr]_${an}{36,255}|github_pat_[A-Za-z0-9_]{22,255})`,
  ),
  rule(
    'gitlab-token',
    'glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glimt-|glagent-|gloas-|glsoat-|glffct-|GR1348941',
    `(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,300}|GR1348941${w}{20})`,
  ),
  rule('atlassian-token', 'ATATT3|ATCTT3|ATBB', `(?:AT[AC]TT3[A-Za-z0-9_=-]{60,400}|ATBB${an}{28,40})`),
  rule('sourcegraph-token', 'sgp_|sgph_', `sgph?_(?:(?:local|${hex}{16})_)?[A-Fa-f0-9]{40}`),
  rule('npm-token', 'npm_', `npm_${an}{36,60}(?!${an})`),
  rule('npm-auth', '_authToken=|_auth=|_password=', `_(?:authToken|auth|password)=["']?([A-Za-z0-9+/=_.-]{16,300})`, {
    within: true,
    // A name of code, as self.password is.
    check: (value) => hasDigit(value) && !/^[A-Za-z_]+\.[A-Za-z_]/.test(value),
  }),
  rule('pypi-token', 'pypi-AgE', `pypi-AgE[A-Za-z0-9_-]{50,400}`),
  rule('rubygems-key', 'rubygems_', `rubygems_${hex}{48}`),
  rule('crates-token', 'cio', `cio${an}{32}(?!${an})`, { check: looksRandom }),
  rule('docker-token', 'dckr_pat_|dckr_oat_', `dckr_[po]at_${w}{27,60}`),
  rule('nuget-key', 'oy2', `oy2[a-z0-9]{43}(?!${an})`),
  rule('clojars-token', 'CLOJARS_', 'CLOJARS_[a-z0-9]{60}', { check: hasDigit }),
  rule('artifactory-key', 'AKCp|cmVmdGtuO', `(?:AKCp${an}{69,73}|cmVmdGtuO[A-Za-z0-9+/=]{50,100})`),
  rule('circleci-token', 'CCIPAT_|CCIPRJ_', `CCIP(?:AT|RJ)_${an}{22}_${hex}{40}`),
  rule('buildkite-token', 'bkua_|bkaj_|bkct_', `bk(?:ua|aj|ct)_[A-Za-z0-9]{40,200}`),
  rule('sonar-token', 'sqp_|squ_|sqa_', `sq[pua]_${hex}{40}`),
  rule(
    'codecov-and-others',
    'sntrys_|sntryu_|glsa_|glc_eyJ|NRAK-|NRII-|PMAK-|dt0c01.|dt0s',
    `(?:sntrys_[A-Za-z0-9+/=_]{60,400}|sntryu_${hex}{64}|glsa_${an}{32}_[A-Fa-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=]{30,400}|NR(?:AK|II)-[A-Za-z0-9_-]{27,32}|PMAK-${hex}{24}-${hex}{34}|dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64})`,
  ),
  rule(
    'service-key',
    'phx_|phs_|sdk-|live_|test_|st.|tk-us-|secret-',
    `(?:ph[xs]_${an}{40,50}|sdk-${uuid}|(?:live|test)_(?:${hex}{35}|${w}{40})|st\\.${hex}{24}\\.${hex}{32}\\.${hex}{32}|tk-us-${w}{48}|secret-${an}{43})(?!${w})`,
    { check: looksRandomOrId },
  ),
  // Models and what stands around them
  rule('openai-key', 'sk-', `sk-(?:(?:proj|svcacct|admin|None|ant-[a-z0-9]{3,10}|or-v1|lf)-)?([A-Za-z0-9_-]{20,250})`, {
    check: looksLikeModelKey,
  }),
  rule('huggingface-token', 'hf_|api_org_', `(?:hf|api_org)_${an}{30,60}(?!${an})`, {
    check: (value) => /[A-Z]/.test(value) || hasDigit(value),
  }),
  rule(
    'model-key',
    'gsk_|r8_|pplx-|xai-|tgp_v1_|csk-|nvapi-|pcsk_|tvly-|jina_|e2b_|fc-|lsv2_|wandb_v1_|fw_|pa-|sk_|key-',
    `(?:gsk_${an}{40,60}|r8_${an}{32,45}|pplx-${an}{40,60}|xai-${w}{60,100}|tgp_v1_${w}{30,60}|csk-${an}{40,60}|nvapi-${w}{50,80}|pcsk_[A-Za-z0-9_]{50,80}|tvly-(?:dev-|prod-)?${an}{30,40}|jina_${an}{50,70}|e2b_${hex}{40}|fc-${hex}{32}|lsv2_(?:pt|sk)_${hex}{32}_${hex}{10}|wandb_v1_${w}{40,100}|fw_${an}{22,30}|pa-${w}{43}|sk_${hex}{48}|key-${hex}{32})(?!${an})`,
    { check: looksRandom },
  ),
  // Payment and commerce
  rule(
    'stripe-key',
    'sk_live_|sk_test_|rk_live_|rk_test_|sk_prod_|whsec_|sk_org_',
    `(?:[rs]k_(?:live|test|prod|org)_[A-Za-z0-9_]{16,250}|whsec_[A-Za-z0-9+/=]{24,80})`,
  ),
  rule('square-token', 'sq0atp-|sq0csp-|sq0idp-|EAAA', `(?:sq0(?:atp|csp|idp)-${w}{22,43}|EAAA[A-Za-z0-9_-]{60})`, {
    check: hasDigit,
  }),
  rule('paypal-token', 'access_token$', `access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$${hex}{32}`),
  rule('shopify-token', 'shpat_|shpca_|shppa_|shpss_', `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`),
  rule(
    'payment-key',
    'access-sandbox-|access-production-|access-development-|rzp_live_|rzp_test_|FLWSECK|EZAK|EZTK|shippo_live_|shippo_test_|duffel_live_|duffel_test_',
    `(?:access-(?:sandbox|production|development)-${uuid}|rzp_(?:live|test)_${an}{14,24}|FLWSECK(?:_TEST)?-${an}{12,40}|EZ[AT]K${an}{54}|shippo_(?:live|test)_${hex}{40}|duffel_(?:live|test)_[A-Za-z0-9_=-]{43})`,
  ),
  // Chat, mail, documents
  rule(
    'slack-token',
    'xoxa-|xoxb-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xoxc-|xoxd-|xoxe.|xapp-',
    '(?:xox[abcdeoprs]-[A-Za-z0-9%-]{10,250}|xoxe\\.xox[bp]-\\d-[A-Za-z0-9]{100,200}|xapp-\\d-[A-Z0-9]{6,20}-\\d{6,20}-[a-z0-9]{40,80})',
    { check: hasDigit },
  ),
  rule('chat-webhook', 'hooks.slack.com/', `hooks\\.slack\\.com/(?:services|workflows)/([A-Za-z0-9/]{20,100})`),
  rule(
    'chat-webhook',
    'discord.com/api/|discordapp.com/api/',
    `discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{16,20}/(${w}{50,90})`,
  ),
  rule(
    'chat-webhook',
    'webhook.office.com/',
    `webhook\\.office\\.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/(${an}{20,40})/${uuid}`,
  ),
  rule('discord-token', 'MD|MT|Mj|Mz|ND|NT|Nj|Nz|OD|OT', `[MNO][A-Za-z0-9]{22,27}\\.${w}{6}\\.${w}{27,40}(?!${w})`),
  rule('telegram-token', ':AA', `(?<=(?<!\\d)\\d{8,10}):AA${w}{30,40}(?!${w})`, { within: true }),
  rule('twilio-key', 'SK', `SK${hex}{32}(?!${an})`),
  rule(
    'mail-key',
    'SG.|xkeysib-|re_',
    `(?:SG\\.${w}{16,32}\\.${w}{39,50}|xkeysib-${hex}{64}-${an}{16}|re_${an}{8}_${an}{20,30}(?!${an}))`,
    { check: hasDigit },
  ),
  rule('mailchimp-key', '-us', `(?<=(?<!${an})${hex}{32})-us\\d{1,2}(?!${an})`, { within: true }),
  rule(
    'document-token',
    'ntn_|secret_|lin_api_|lin_oauth_|figd_|figu_|tfp_|CFPAT-|sl.|rdme_|pnu_|aio_|ico-|fio-u-|sk.eyJ',
    `(?:ntn_${an}{40,50}|secret_${an}{43}|lin_(?:api|oauth)_${an}{32,64}|fig[du]_${w}{38,44}|tfp_[A-Za-z0-9_.-]{40,64}|CFPAT-${w}{43}|sl\\.(?:u\\.)?[A-Za-z0-9_=-]{120,300}|rdme_[a-z0-9]{70}|pnu_${an}{36}|aio_${an}{28}|ico-${an}{32}|fio-u-[A-Za-z0-9_=-]{64}|sk\\.eyJ${w}{20,300}\\.${w}{10,60})(?!${an})`,
    { check: looksRandom },
  ),
  rule('hubspot-token', 'pat-na1-|pat-eu1-', `pat-(?:na|eu)1-${uuid}`),
  rule('airtable-token', 'pat', `pat${an}{14}\\.${hex}{64}`),
  rule('facebook-token', 'EAA', `EAA[A-Za-z0-9]{90,400}(?!${an})`, { check: looksRandom }),
  // The service's own
  rule('atrium-token', 'atr_', `atr_(?:${w}{43}|${w}{22})(?!${w})`),
  // Forms that every vendor shares
  rule(
    'private-key',
    '-----BEGIN ',
    '-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:\\s|\\\\[nr]|\\\\\\\\[nr])*(?:[A-Za-z-]{1,20}: [^\\n\\\\]{1,200}(?:\\s|\\\\[nr])*){0,6}([A-Za-z0-9+/=]{10,100}(?:[^-]|-(?!-))*)(?:-----END [A-Z0-9 ]{1,60}-----)?',
    { within: true },
  ),
  rule(
    'private-key',
    'PuTTY-User-Key-File-',
    'PuTTY-User-Key-File-\\d: [^\\n]{1,100}\\n(?:[^P]|P(?!rivate-Lines|uTTY))*Private-Lines: \\d+\\s+([A-Za-z0-9+/=\\s]{20,8000})',
  ),
  rule('private-key', 'LS0tLS1CRUdJTi', 'LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,8000}', {
    check: (value) => Buffer.from(value.slice(0, 120), 'base64').includes('PRIVATE KEY'),
  }),
  rule('jwt', 'eyJ', `eyJ${w}{8,4000}\\.eyJ${w}{8,8000}\\.(${w}{16,2000})`),
  rule(
    'url-password',
    '://',
    '(?<=[a-z][a-z0-9+.-]{1,20})://[^\\s:@/"\'`<>]{0,100}:([^\\s@/"\'`<>]{3,200})@[A-Za-z0-9[]',
    { within: true, check: isPassword },
  ),
  rule(
    'bearer-header',
    'earer |EARER |earer%20|earer+',
    `(?<=[Bb]|B)(?:earer|EARER)(?: {1,4}|%20|\\+)["']?([A-Za-z0-9._~+/=-]{20,4000})`,
    { within: true, check: looksRandom },
  ),
  rule('basic-header', 'asic |ASIC ', `(?<=[Bb])(?:asic|ASIC) {1,4}([A-Za-z0-9+/]{8,400}={0,2})`, {
    within: true,
    check: decodesToLogin,
  }),
  rule('docker-login', 'auth"|auth\\"', `auth\\\\?"\\s{0,3}:\\s{0,3}\\\\?"([A-Za-z0-9+/]{12,400}={0,2})\\\\?"`, {
    within: true,
    check: decodesToLogin,
  }),
  rule(
    'netrc-password',
    'machine ',
    'machine [^\\s]{1,200}\\s{1,20}login [^\\s]{1,100}\\s{1,20}password ([^\\s]{6,200})',
    {
      check: isPassword,
    },
  ),
  assigned(
    'assigned-secret',
    '_TOKEN|_SECRET|APP_KEY|ADMIN_KEY|PRIVATE_KEY|MASTER_KEY|ENCRYPTION_KEY|AUTH_KEY|SIGNING_KEY|ACCESS_KEY|API_KEY|_APIKEY|API-Key',
    '[A-Za-z_-]{6,20}',
    '[A-Za-z0-9+/_.~-]{16,200}={0,2}',
    looksRandomOrId,
  ),
  rule('assigned-secret', 'SECRET_KEY', `SECRET_KEY\\s{0,3}=\\s{0,3}["']([^"'\\s]{30,100})["']`, {
    within: true,
    check: (value) => hasDigit(value) && /[a-z]/.test(value) && /[!-/:-@^_]/.test(value),
  }),
  assigned(
    'assigned-password',
    'password|PASSWORD|Password|passwd|PASSWD',
    '[A-Za-z]{6,8}',
    `[^\\s"'\`,;<>{}()$\\\\]{10,100}`,
    looksLikePassword,
  ),
  assigned(
    'assigned-secret',
    'api_key|API_KEY|apiKey|api-key|Api-Key|API-KEY|ApiKey|apikey|APIKEY|auth_token|AUTH_TOKEN|authToken|access_token|ACCESS_TOKEN|accessToken|api_token|API_TOKEN|apiToken|client_secret|CLIENT_SECRET|clientSecret|app_secret|APP_SECRET|SECRET_KEY|secret_key|secretKey|SECRET_TOKEN|PRIVATE_TOKEN|bot_token|BOT_TOKEN|PASSWORD|SIGNING_SECRET|signing_secret',
    '[A-Za-z_-]{6,20}',
    '[A-Za-z0-9+/_.~-]{20,200}={0,2}',
    looksRandom,
  ),
]

type More = Pick<LeakRule, 'within' | 'check'>

function rule(id: string, anchors: string, source: string, more: More = {}): LeakRule {
  return { id, anchors: anchors.split('|'), pattern: new RegExp(source, 'y'), ...more }
}

/** A value that is given to a name: in code, JSON, YAML, an env file or a header. */
function assigned(id: string, anchors: string, name: string, value: string, check: LeakRule['check']): LeakRule {
  const source = `${name}(?:\\\\?["'])?\\s{0,3}(?::=|=>|[:=])\\s{0,3}(?:\\\\?["'\`])?(${value})`
  return rule(id, anchors, source, { within: true, ...(check && { check }) })
}

function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

/** Letters and digits, or small letters and capitals, by turns within one run: no word, name or version is written so. */
function looksRandom(value: string): boolean {
  const runs = value.split(/[^A-Za-z0-9]+/)
  if (runs.some((run) => run.length >= 16 && (changes(run) >= 3 || mixesCase(run)))) return true
  const all = runs.join('')
  return all.length >= 32 && changes(all) >= 6 && /[a-z]/.test(all) && /[A-Z]/.test(all)
}

/** More capitals side by side than a name in camel case has. */
function mixesCase(run: string): boolean {
  const pairs = run.match(/[A-Z](?=[A-Z])/g)?.length ?? 0
  return run.length >= 24 && pairs >= 3 && (run.match(/[a-z](?=[A-Z])/g)?.length ?? 0) >= 4
}

function looksRandomOrId(value: string): boolean {
  return looksRandom(value) || new RegExp(`(?:^|-)${uuid}$`).test(value)
}

function looksLikePassword(value: string): boolean {
  if (!isPassword(value) || /passw|:\/\//i.test(value)) return false
  return changes(value) >= 3 && value.split(/[-_./]/).some((run) => run.length >= 10)
}

function changes(run: string): number {
  return run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
}

/** Keys of this prefix are a long run; style sheets and locales use it too, in words with dashes. */
function looksLikeModelKey(value: string): boolean {
  const longest = value.split(/[_-]+/).reduce((most, run) => Math.max(most, run.length), 0)
  if (longest >= 24) return true
  if (longest >= 16 && /\d|[A-Z]/.test(value)) return true
  return value.length >= 40 && changes(value) >= 3 && /[A-Z]/.test(value)
}

const commonPasswords = new Set(
  'password passwd pass pwd pw secret postgres postgresql mysql root admin user username guest test redis mongo rabbitmq dev local localhost foo bar baz mypassword mysecretpassword'.split(
    ' ',
  ),
)

function isPassword(value: string): boolean {
  return !commonPasswords.has(value.toLowerCase()) && !/^[$<{[%(]|^\*+$|^\.+$/.test(value)
}

/** What a browser sends: a name, a colon, a password. */
function decodesToLogin(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('latin1')
  return /^[\x21-\x7e]{1,100}:[\x20-\x7e]{3,200}$/.test(text) && isPassword(text.slice(text.indexOf(':') + 1))
}
