import { expect, test } from 'bun:test'
import { addressIn, plainAddress } from '../../src/http/request.ts'

test('an address of a proxy is one address, however it is written: limits and rules count by it', () => {
  const written = {
    '192.0.2.1': [
      '192.0.2.1',
      ' 192.0.2.1 ',
      '192.0.2.1:8080',
      '[192.0.2.1]:80',
      '::ffff:192.0.2.1',
      '::FFFF:192.0.2.1',
    ],
    '1.2.3.4': ['::ffff:102:304', '0:0:0:0:0:ffff:0102:0304', '[::ffff:102:304]:443'],
    '2001:db8::1': ['2001:db8::1', '2001:DB8::1', '2001:0db8:0:0:0:0:0:1', '[2001:db8::1]', '[2001:db8::1]:443'],
  }
  for (const [address, forms] of Object.entries(written))
    for (const form of forms) expect([form, addressIn(form)]).toEqual([form, address])
  for (const none of ['', 'unknown', '_hidden', '1.2.3', '1.2.3.4.5', '300.1.1.1', '::g', '1::2::3', 'example.com'])
    expect([none, addressIn(none)]).toEqual([none, null])
  expect(plainAddress('::ffff:192.0.2.1')).toBe('192.0.2.1')
})
