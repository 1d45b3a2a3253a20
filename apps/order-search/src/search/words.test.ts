import { expect, test } from 'vitest';
import { codeOf, wordsOf, wordsOfCode } from './words.js';

test('words have no accents, no capitals and no signs', () => {
  expect(wordsOf("Müller-Weg 5, L'Haÿ")).toEqual(['muller', 'weg', '5', 'l', 'hay']);
  expect(wordsOf(' ,- ')).toEqual([]);
});

test('letters that are no letter with an accent are plain ones too', () => {
  const plain = {
    'Łódź ŁÓDŹ': 'lodz lodz',
    'Größe GRÖẞE Straße': 'grosse grosse strasse',
    'Sørensen Ærø Œuvre': 'sorensen aero oeuvre',
    'Þórður Guðmundsdóttir': 'thordur gudmundsdottir',
    'Diyarbakır DİYARBAKIR Iğdır': 'diyarbakir diyarbakir igdir',
    'Đorđe Ħamrun Ŋorwegian Ŧ': 'dorde hamrun norwegian t',
    'Hawaiʻi ﬁsh Ǿ Dž': 'hawaii fish o dz',
    'Əliyev ὈΔΌΣ ὀδός': 'aliyev οδοσ οδοσ',
  };
  for (const [text, words] of Object.entries(plain)) expect(wordsOf(text).join(' ')).toBe(words);
});

test('what nobody sees in a text that is pasted parts no word', () => {
  expect(wordsOf('Mül\u00adler-\u200eWeg \u202aOB15\u202c \ufeffBerg')).toEqual([
    'muller',
    'weg',
    'ob15',
    'berg',
  ]);
});

test('letters of other alphabets stay in theirs', () => {
  expect(wordsOf('Москва Ёлка 東京')).toEqual(['москва', 'елка', '東京']);
});

test('a number has no signs, and is found by its beginning, its end and its parts', () => {
  expect(codeOf('OB-15/2240')).toBe('ob152240');
  expect(codeOf('+49 (171) 555-1234')).toBe('491715551234');
  expect(wordsOfCode('OB-15')).toEqual(['ob', '15', 'xob15', 'z51bo']);
  expect(wordsOfCode('7')).toEqual(['7', 'x7', 'z7']);
});

test('a number of many digits is found by all its endings', () => {
  expect(wordsOfCode('+49 171-55')).toEqual(['x4917155', 'x917155', 'x17155', 'x7155', 'x155']);
});
