-- Pictures of items and receipts (decision 0145).

create table pictures (
  merchant_id text not null,
  -- The SHA-256 hash of the content in base64url: the same picture is stored once.
  picture_id text not null,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  content bytea not null,
  -- The last upload, in real time. Retention deletes what nobody has used a day later.
  uploaded_at timestamptz not null,
  primary key (merchant_id, picture_id)
);

-- Finds pictures that retention may delete.
create index pictures_uploaded on pictures (uploaded_at);

-- What shows a picture: one row for each record that has one.
create table picture_uses (
  merchant_id text not null,
  -- The kind of record and its id, such as item:8f3...
  used_by text not null,
  picture_id text not null,
  primary key (merchant_id, used_by),
  constraint picture_uses_picture foreign key (merchant_id, picture_id) references pictures
);

-- Finds out whether a picture is used, and serves the foreign key.
create index picture_uses_picture on picture_uses (merchant_id, picture_id);
