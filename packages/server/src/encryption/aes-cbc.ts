import { isUtf8 } from 'node:buffer'
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import type { Random } from '@strata/world'
import type { KeyConfiguration } from './configuration.ts'
import { keyId } from './key-id.ts'
import { CannotOpen, prefixOf, type SealingKey } from './sealing-key.ts'

const blockBytes = 16

/** AES in cipher block chaining, padded as PKCS#7 has it; the initialisation vector stands before the first block. */
export function createAesCbc({ name, secret }: KeyConfiguration, random: Random): SealingKey {
  const id = keyId('aescbc', name, secret)
  const key = createSecretKey(secret)
  const prefix = prefixOf('aescbc', name)
  const algorithm = `aes-${secret.length * 8}-cbc`
  return {
    id,
    prefix,
    seal: (plain) => {
      const vector = random.bytes(blockBytes)
      const cipher = createCipheriv(algorithm, key, vector)
      return Buffer.concat([prefix, vector, cipher.update(plain), cipher.final()])
    },
    open: (body) => {
      if (body.length < 2 * blockBytes || body.length % blockBytes !== 0) {
        throw new CannotOpen('the stored bytes are cut off: they are no whole number of blocks')
      }
      const decipher = createDecipheriv(algorithm, key, body.subarray(0, blockBytes))
      try {
        const value = Buffer.concat([decipher.update(body.subarray(blockBytes)), decipher.final()])
        // Nothing is authenticated: of what another secret has sealed one value in 256 comes out with good padding. It must
        // not be taken for an object, for the right key may be the next one of that name.
        if (looksLikeObject(value)) return { value, under: id }
      } catch (error) {
        throw new CannotOpen('the padding is wrong: another secret has sealed it, or it was changed', {
          cause: error,
        })
      }
      throw new CannotOpen('what comes out is no object: another secret has sealed it, or it was changed')
    },
  }
}

/**
 * What kube-apiserver writes of most kinds, or JSON, behind which it writes a line feed. How JSON begins and ends would not be
 * enough: of what was sealed by another secret, one value in sixteen million has that and the padding. To be text from end to
 * end as well is the less likely the longer it is, and no object is short.
 */
function looksLikeObject(value: Buffer): boolean {
  if (value.subarray(0, 4).equals(protobufMagic)) return true
  return value[0] === braces[0] && value[lastOfText(value)] === braces[1] && isUtf8(value)
}

/** Where the last byte is that is no blank. */
function lastOfText(value: Buffer): number {
  let at = value.length - 1
  while (at > 0 && blanks.includes(value[at] ?? 0)) at--
  return at
}

const protobufMagic = Buffer.from('k8s\0')
const braces = Buffer.from('{}')
const blanks = Buffer.from(' \t\r\n')
