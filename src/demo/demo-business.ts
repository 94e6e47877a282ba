/** The profile, locations and employees of the demo business Juniper & Rye. */
import type { NewMerchant } from '../business/merchants/actions.js';
import type { OpeningHours } from '../business/merchants/model.js';
import type { Person } from './history/staff.js';

export const OWNER_EMAIL = 'owner@juniper-and-rye.example';

function openDaily(days: readonly string[], startLocalTime: string, endLocalTime: string): OpeningHours[] {
  return days.map((dayOfWeek) => ({ dayOfWeek, startLocalTime, endLocalTime }));
}

const WEEK = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

export const DEMO_MERCHANT: NewMerchant = {
  businessName: 'Juniper & Rye',
  ownerName: 'Maren Holt',
  ownerEmail: OWNER_EMAIL,
  country: 'US',
  languageCode: 'en-US',
  currency: 'USD',
  businessType: 'RESTAURANTS',
  approved: true,
  isDemo: true,
  clock: { offsetMs: 0, frozenAt: null },
  locations: [
    {
      name: 'Mission Street',
      timezone: 'America/Los_Angeles',
      profile: {
        address: {
          address_line_1: '2190 Mission Street',
          locality: 'San Francisco',
          administrative_district_level_1: 'CA',
          postal_code: '94110',
          country: 'US',
        },
        phoneNumber: '+1 415-555-0148',
        businessEmail: 'mission@juniper-and-rye.example',
        websiteUrl: 'https://juniper-and-rye.example',
        instagramUsername: 'juniperandrye',
        twitterUsername: 'juniperandrye',
        facebookUrl: 'https://social.example/juniperandrye',
        logoUrl: 'https://juniper-and-rye.example/logo.png',
        posBackgroundUrl: 'https://juniper-and-rye.example/register.png',
        mcc: '5812',
        description: 'Gin, rye and breakfast since 2014.',
        coordinates: { latitude: 37.7621, longitude: -122.4193 },
        openingHours: openDaily(WEEK, '07:00:00', '18:00:00'),
      },
    },
    {
      name: 'Bergen Street',
      timezone: 'America/New_York',
      profile: {
        address: {
          address_line_1: '58 Bergen Street',
          locality: 'Brooklyn',
          administrative_district_level_1: 'NY',
          postal_code: '11201',
          country: 'US',
        },
        phoneNumber: '+1 718-555-0173',
        businessEmail: 'bergen@juniper-and-rye.example',
        websiteUrl: 'https://juniper-and-rye.example',
        mcc: '5812',
        coordinates: { latitude: 40.6872, longitude: -73.9921 },
        openingHours: openDaily(WEEK.slice(1), '08:00:00', '20:00:00'),
      },
    },
  ],
};

/** The owner and twelve employees; the numbers are indexes of locations. */
export const DEMO_PEOPLE: readonly Person[] = [
  ['Maren', 'Holt', 'owner', [0, 1]],
  ['Tomas', 'Okafor', 'manager', [0]],
  ['Ines', 'Marchetti', 'manager', [1]],
  ['Priya', 'Raman', 'cashier', [0]],
  ['Caleb', 'Whitlock', 'cashier', [0]],
  ['Sofia', 'Lindqvist', 'cashier', [0]],
  ['Dev', 'Anand', 'cashier', [1]],
  ['Noor', 'Haddad', 'cashier', [1]],
  ['Jonas', 'Weber', 'cashier', [1]],
  ['Amara', 'Diallo', 'cashier', [0, 1]],
  ['Leo', 'Castellanos', null, [0]],
  ['Hana', 'Kimura', null, [1]],
  ['Ruth', 'Abernathy', 'cashier', [0], 'left'],
];
