// The metadata of an object in protobuf, changed without touching the rest: envelope → raw (2) → metadata (1) → field.
const RAW = 2
const METADATA = 1
const fields = { uid: 5, resourceVersion: 6 } as const
const PREFIX_LENGTH = 4

type Change = (field: keyof typeof fields, value: string) => string

/** The body with other values where `change` has some. */
export function changeMetadata(body: Buffer, change: Change): Buffer {
  const envelope = mapFields(body.subarray(PREFIX_LENGTH), (field, raw) =>
    field !== RAW
      ? raw
      : mapFields(raw, (outer, content) =>
          outer !== METADATA
            ? content
            : mapFields(content, (inner, value) => {
                const name = (Object.keys(fields) as (keyof typeof fields)[]).find(
                  (each) => fields[each] === inner,
                )
                return name === undefined ? value : Buffer.from(change(name, value.toString()))
              }),
        ),
  )
  return Buffer.concat([body.subarray(0, PREFIX_LENGTH), envelope])
}

/** Every length-delimited field is what `change` makes of it; numbers stay. */
function mapFields(message: Buffer, change: (field: number, content: Buffer) => Buffer): Buffer {
  const parts: Buffer[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const start = at
    const tag = varint()
    if (tag % 8 !== 2) {
      varint()
      parts.push(message.subarray(start, at))
      continue
    }
    const length = varint()
    const content = change(Math.floor(tag / 8), message.subarray(at, at + length))
    at += length
    parts.push(encodeVarint(tag), encodeVarint(content.length), content)
  }
  return Buffer.concat(parts)
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}
