import { randomBytes } from 'node:crypto'

/** About 1 KiB as it is stored, with what the server adds. */
const payload = randomBytes(400).toString('hex')

/** Differs from run to run, so that servers that go on living may be measured again. */
export const run: string = randomBytes(4).toString('hex')

/** `turn` makes each update a change. */
export function configMap(name: string, turn = 0): Buffer {
  return Buffer.from(
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"payload":"${payload}","turn":"${turn}"}}`,
  )
}
