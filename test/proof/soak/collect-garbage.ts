// Loaded into the service under soak (node --import): on SIGUSR2 it collects its garbage, so that the heap shows what stays.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => collect())
