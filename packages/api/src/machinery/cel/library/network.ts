import { CelError, fail, noSuchOverload, OpaqueValue, type Value } from '../evaluation/value.ts'
import { BOOL, INT, STRING } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'
import { type Address, addressText, isMapped, parseAddress, sharesPrefix } from './address.ts'
import { CIDR, IP } from './opaque-types.ts'

class AddressValue extends OpaqueValue {
  readonly type = IP
  readonly address: Address

  constructor(address: Address) {
    super()
    this.address = address
  }

  override get size(): number {
    return this.address.bits / 8
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof AddressValue)) return noSuchOverload()
    return other.address.bits === this.address.bits && other.address.value === this.address.value
  }
}

/** A block of addresses, which may be written as any of its addresses. */
class BlockValue extends OpaqueValue {
  readonly type = CIDR
  readonly address: Address
  readonly length: number

  constructor(address: Address, length: number) {
    super()
    this.address = address
    this.length = length
  }

  override get size(): number {
    return Math.ceil(this.length / 8)
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof BlockValue)) return noSuchOverload()
    const { bits, value } = other.address
    return bits === this.address.bits && value === this.address.value && other.length === this.length
  }

  get text(): string {
    return `${addressText(this.address)}/${this.length}`
  }
}

function addressOf(text: string): AddressValue | CelError {
  const found = parseAddress(text)
  if ('problem' in found) {
    return found.problem.endsWith(': zone')
      ? fail(`IP address ${JSON.stringify(text)} with zone value is not allowed`)
      : fail(`IP Address ${JSON.stringify(text)} parse error during conversion from string: ${found.problem}`)
  }
  if (isMapped(found)) return fail(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`)
  return new AddressValue(found)
}

const blockProblem = 'network address parse error during conversion from string: '

function blockOf(text: string): BlockValue | CelError {
  const wrong = (message: string): CelError =>
    fail(`${blockProblem}${blockProblem}netip.ParsePrefix(${JSON.stringify(text)}): ${message}`)
  const slash = text.lastIndexOf('/')
  if (slash < 0) return wrong("no '/'")
  const address = parseAddress(text.slice(0, slash))
  if ('problem' in address) {
    return wrong(
      address.problem.endsWith(': zone') ? 'IPv6 zones cannot be present in a prefix' : address.problem,
    )
  }
  const size = text.slice(slash + 1)
  if (!/^(?:0|[1-9]\d*)$/.test(size)) return wrong(`bad bits after slash: ${JSON.stringify(size)}`)
  if (Number(size) > address.bits) return wrong('prefix length out of range')
  if (isMapped(address)) {
    return fail(`${blockProblem}IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`)
  }
  return new BlockValue(address, Number(size))
}

const isOk = (value: Value): boolean => !(value instanceof CelError)
const top = ({ bits, value }: Address, count: number): bigint => value >> BigInt(bits - count)
const isFour = ({ bits }: Address): boolean => bits === 32

const isUnspecified = ({ value }: Address): boolean => value === 0n
const isLoopback = (address: Address): boolean =>
  isFour(address) ? top(address, 8) === 127n : address.value === 1n
const isMulticast = (address: Address): boolean =>
  isFour(address) ? top(address, 4) === 0xen : top(address, 8) === 0xffn
const isLinkLocalMulticast = (address: Address): boolean =>
  isFour(address)
    ? top(address, 24) === 0xe00000n
    : top(address, 8) === 0xffn && (top(address, 16) & 0xfn) === 2n
const isLinkLocalUnicast = (address: Address): boolean =>
  isFour(address) ? top(address, 16) === 0xa9fen : top(address, 10) === 0x3fan
const isGlobalUnicast = (address: Address): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address) &&
  !(isFour(address) && address.value === 0xffffffffn)

const test = (name: string, id: string, holds: (address: Address) => boolean): FunctionDeclaration =>
  declare(
    name,
    method(id, [IP], BOOL, ({ address }: AddressValue) => holds(address)),
  )

const containsAddress = (block: BlockValue, { address }: AddressValue): Value =>
  sharesPrefix(block.address, address, block.length)

const containsBlock = (block: BlockValue, other: BlockValue): Value =>
  block.length <= other.length && sharesPrefix(block.address, other.address, block.length)

function masked({ address, length }: BlockValue): Value {
  const rest = BigInt(address.bits - length)
  return new BlockValue({ ...address, value: (address.value >> rest) << rest }, length)
}

export const network: readonly FunctionDeclaration[] = [
  declare(
    'ip',
    globalForm('string_to_ip', [STRING], IP, addressOf),
    method('cidr_ip', [CIDR], IP, ({ address }: BlockValue) => new AddressValue(address)),
  ),
  declare(
    'ip.isCanonical',
    globalForm('ip_is_canonical', [STRING], BOOL, (text: string): Value => {
      const found = addressOf(text)
      return found instanceof CelError ? found : addressText(found.address) === text
    }),
  ),
  declare(
    'isIP',
    globalForm('is_ip', [STRING], BOOL, (text: string) => isOk(addressOf(text))),
  ),
  declare(
    'family',
    method('ip_family', [IP], INT, ({ address }: AddressValue) => (isFour(address) ? 4n : 6n)),
  ),
  test('isUnspecified', 'ip_is_unspecified', isUnspecified),
  test('isLoopback', 'ip_is_loopback', isLoopback),
  test('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
  test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
  test('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
  declare(
    'string',
    globalForm('ip_to_string', [IP], STRING, ({ address }: AddressValue) => addressText(address)),
    globalForm('cidr_to_string', [CIDR], STRING, ({ text }: BlockValue) => text),
  ),
  declare('cidr', globalForm('string_to_cidr', [STRING], CIDR, blockOf)),
  declare(
    'isCIDR',
    globalForm('is_cidr', [STRING], BOOL, (text: string) => isOk(blockOf(text))),
  ),
  declare(
    'containsIP',
    method('cidr_contains_ip_string', [CIDR, STRING], BOOL, (block: BlockValue, text: string): Value => {
      const address = addressOf(text)
      return address instanceof CelError ? address : containsAddress(block, address)
    }),
    method('cidr_contains_ip_ip', [CIDR, IP], BOOL, containsAddress),
  ),
  declare(
    'containsCIDR',
    method('cidr_contains_cidr_string', [CIDR, STRING], BOOL, (block: BlockValue, text: string): Value => {
      const other = blockOf(text)
      return other instanceof CelError ? other : containsBlock(block, other)
    }),
    method('cidr_contains_cidr', [CIDR, CIDR], BOOL, containsBlock),
  ),
  declare(
    'prefixLength',
    method('cidr_prefix_length', [CIDR], INT, ({ length }: BlockValue) => BigInt(length)),
  ),
  declare('masked', method('cidr_masked', [CIDR], CIDR, masked)),
]
