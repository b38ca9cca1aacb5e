import { createHash } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

function base32(bytes: Uint8Array): string {
  let bits = 0
  let value = 0
  let text = ''
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      text += alphabet[(value >>> (bits - 5)) & 31]
      bits -= 5
    }
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/**
 * The identity of a server, stable over restarts: upstream's hash over the host name, with the instance
 * added. Upstream hashes the host name alone, so that two servers on one host overwrite each other's entry
 * and hide their disagreement (agreement.md, rule 1; docs/reference/upstream-behaviour.md, P13).
 */
export function serverId(hostname: string, instance: string): string {
  const hash = createHash('sha256')
  hash.update(lengthPrefixed(hostname)).update(lengthPrefixed('kube-apiserver'))
  if (instance !== '') hash.update(lengthPrefixed(instance))
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`
}

/** Whether a process, as identities name them, is one run of that server. */
export function isProcessOf(serverID: string, process: string): boolean {
  return process.startsWith(`${serverID}_`)
}

/** The server that a process is a run of. */
export function serverOf(process: string): string {
  return process.slice(0, Math.max(0, process.lastIndexOf('_')))
}
