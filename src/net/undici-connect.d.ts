declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici'
}
