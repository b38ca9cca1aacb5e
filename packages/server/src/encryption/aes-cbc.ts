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
        // Nothing is authenticated. One wrong key in 256 leaves what looks like padding; it does not leave an object too.
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

/** JSON, or what kube-apiserver writes of most kinds. */
function looksLikeObject(value: Buffer): boolean {
  return value[0] === 0x7b || value.subarray(0, 4).equals(protobufMagic)
}

const protobufMagic = Buffer.from('k8s\0')
