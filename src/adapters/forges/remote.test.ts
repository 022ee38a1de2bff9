import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repositoryAt } from './remote.ts'

test('an address of a remote says the host and the repository, however it is written', () => {
  const known: Record<string, [string, string]> = {
    'https://github.com/ann/shop.git': ['github.com', 'ann/shop'],
    'https://github.com/ann/shop/': ['github.com', 'ann/shop'],
    'https://x-token:abc@GitHub.com/ann/shop': ['github.com', 'ann/shop'],
    'git@github.com:ann/shop.git': ['github.com', 'ann/shop'],
    'ssh://git@gitlab.example.org:2222/group/sub/shop.git': ['gitlab.example.org', 'group/sub/shop'],
    'https://gitlab.example.org:8443/group/shop': ['gitlab.example.org:8443', 'group/shop'],
    'gitlab.com:group/shop': ['gitlab.com', 'group/shop'],
  }
  for (const [url, [host, path]] of Object.entries(known)) assert.deepEqual([url, repositoryAt(url)], [url, { host, path }])
})

test('a folder, or what has no owner, is none', () => {
  for (const url of [
    '/srv/shop.git',
    '../shop',
    'file:///srv/a/shop.git',
    'C:\\code\\shop',
    'https://github.com/shop',
    'https://github.com/../x',
    '',
  ])
    assert.equal(repositoryAt(url), null, url)
})
