// The parts of node:http that are used. An `import` of node:http reads every name it exports, and one of them loads a
// second HTTP client (68 ms and 16 MB at startup).
export const { createServer, request } = process.getBuiltinModule('node:http')
