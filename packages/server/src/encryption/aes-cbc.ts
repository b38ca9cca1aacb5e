import { isUtf8 } from 'node:buffer'
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import type { Random } from '@strata/world'
import type { KeyConfiguration } from './configuration.ts'
import { keyId } from './key-id.ts'
import { CannotOpen, prefixOf, type SealingKey } from './sealing-key.ts'

const blockBytes = 16

/** AES in CBC mode with PKCS#7 padding; the initialization vector stands before the first block. */
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
        // CBC does not authenticate: one value in 256 that another secret sealed has valid padding. It must not be taken for an
        // object, because the right key may be the next one of that name.
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
 * Protobuf as kube-apiserver writes it for most kinds, or JSON, which kube-apiserver ends with a line feed. Checking only the
 * first and last byte of JSON would not be enough: of values that another secret sealed, one in sixteen million has these and the
 * padding. The longer a value, the less likely it is text throughout, and no object is short.
 */
function looksLikeObject(value: Buffer): boolean {
  if (value.subarray(0, 4).equals(protobufMagic)) return true
  return value[0] === braces[0] && value[lastOfText(value)] === braces[1] && isUtf8(value)
}

/** The position of the last byte that is not white space. */
function lastOfText(value: Buffer): number {
  let at = value.length - 1
  while (at > 0 && blanks.includes(value[at] ?? 0)) at--
  return at
}

const protobufMagic = Buffer.from('k8s\0')
const braces = Buffer.from('{}')
const blanks = Buffer.from(' \t\r\n')
