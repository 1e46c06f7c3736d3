// Node's HTTP, with no more of it than is used: an `import` of node:http reads every name it has, and one of them loads
// a second HTTP client (68 ms and 16 MB at the start).
export const { createServer, request } = process.getBuiltinModule('node:http')
